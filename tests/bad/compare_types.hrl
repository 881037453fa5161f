variant compare_types extends toy {
  add def first_moves() = mover == 0
}
