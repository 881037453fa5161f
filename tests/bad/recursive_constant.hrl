variant recursive_constant extends toy {
  add const a = b + 1
  add const b = a + 1
}
