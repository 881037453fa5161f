variant update_twice extends toy {
  add action skip() { left' = 0  left' = 1 }
}
