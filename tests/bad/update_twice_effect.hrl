variant update_twice_effect extends toy {
  add action skip() { left' = 0  tick(1) }
}
