variant bad_character extends toy {
  add def fine() = left ≥ 1
}
