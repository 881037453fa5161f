variant assign_for_equal extends toy {
  add def done() = left = 0
}
