variant constant_of_state extends toy {
  add const double = 2 * left
}
