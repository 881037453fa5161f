variant compare_rulings extends toy {
  add def same() = stack == pace
}
