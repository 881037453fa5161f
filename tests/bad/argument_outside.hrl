variant argument_outside extends toy {
  add action skip() { tick(3) }
}
