variant bool_for_number extends toy {
  add action skip() { left' = left == 0 }
}
