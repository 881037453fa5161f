# helper
variant last_end extends toy {
  add end sudden lost when left == 1
}
