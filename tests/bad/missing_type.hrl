variant missing_type extends toy {
  add var round
}
