variant bad_semicolon extends toy {
  add const price = 5;
}
