variant effect_as_value extends toy {
  add def more() = tick(1) + 1
}
