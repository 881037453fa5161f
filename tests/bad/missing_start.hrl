game missing_start {
  var left : 0..9
  action wait() { left' = left - 1 }
  end empty over when left == 0
  score = left
}
