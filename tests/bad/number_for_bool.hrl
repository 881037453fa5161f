variant number_for_bool extends toy {
  add def odd() = not left
}
