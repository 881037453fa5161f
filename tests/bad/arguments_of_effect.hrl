variant arguments_of_effect extends toy {
  add action skip() { tick() }
}
