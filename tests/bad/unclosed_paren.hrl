variant unclosed_paren extends toy {
  add def fine() = (left + 1 * 2
  add def more() = 3
}
