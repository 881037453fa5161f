variant unknown_variable extends toy {
  add def soon() = lefft <= 1
}
