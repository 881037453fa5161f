variant mistyped_word extends toy {
  add acton skip() { left' = 0 }
}
