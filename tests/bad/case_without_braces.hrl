variant case_without_braces extends toy {
  add action skip() { case left > 3 : left' = 0 }
}
