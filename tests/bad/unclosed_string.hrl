variant unclosed_string extends toy {
  add clause @quiet "nobody speaks
  add const price = 5
}
