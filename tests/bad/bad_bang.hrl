variant bad_bang extends toy {
  add def fine() = !(left > 1)
}
