variant range_of_state extends toy {
  add def any() = exists(n == 2 for n : 1..left)
}
