variant bound_of_state extends toy {
  add var copy : 0..left
  add start { copy = 0 }
}
