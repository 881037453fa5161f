variant parameter_default_outside extends toy {
  add param extra : 0..3 = 4
}
