variant bad_number extends toy {
  add const price = 12abc
}
