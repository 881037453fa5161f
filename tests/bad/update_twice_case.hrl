variant update_twice_case extends toy {
  add action skip() { left' = 0  case mover == Seat(0) { left' = 1 } }
}
