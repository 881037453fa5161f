game missing_end {
  var left : 0..9
  start { left = 9 }
  action wait() { left' = left - 1 }
  score = left
}
