variant no_start_value extends toy {
  add var round : 0..3
}
