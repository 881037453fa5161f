variant primed_invariant extends toy {
  add invariant down : left' <= left
}
