variant unknown_nothing_near extends toy {
  add def soon() = xyzzy <= 1
}
