game missing_score {
  var left : 0..9
  start { left = 9 }
  action wait() { left' = left - 1 }
  end empty over when left == 0
}
