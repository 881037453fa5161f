variant update_twice_same_effect extends toy {
  add action skip() { tick(1) tick(1) }
}
