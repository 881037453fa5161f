game unclosed_brace_inner {
  var left : 0..9
  start { left = 9 }
  action wait() {
    case left > 5 { left' = left - 1
  }
  end empty over when left == 0
  score = left
}
