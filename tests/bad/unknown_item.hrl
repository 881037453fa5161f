variant unknown_item extends toy {
  add variable round : 0..3
}
