game unclosed_brace {
  var left : 0..9
  start { left = 9
  score = left
