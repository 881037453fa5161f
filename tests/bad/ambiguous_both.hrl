variant ambiguous_both extends toy {
  add enum Light = red | amber
  add def same() = red == red
}
