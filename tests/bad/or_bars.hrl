variant or_bars extends toy {
  add def odd() = left == 1 || left == 3
}
