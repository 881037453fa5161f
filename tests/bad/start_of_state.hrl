variant start_of_state extends toy {
  add var copy : 0..9
  add start { copy = left }
}
