variant smart_quotes extends toy {
  add clause @quiet “hush”
}
