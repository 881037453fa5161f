variant unknown_effect extends toy {
  add action skip() { tock(1) }
}
