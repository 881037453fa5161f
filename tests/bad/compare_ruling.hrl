variant compare_ruling extends toy {
  add def fast_stack() = stack == fast
}
