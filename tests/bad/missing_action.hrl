game missing_action {
  var left : 0..9
  start { left = 9 }
  end empty over when left == 0
  score = left
}
