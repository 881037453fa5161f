variant missing_colon extends toy {
  add var round 0..3
}
