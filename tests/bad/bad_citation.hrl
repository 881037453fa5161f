variant bad_citation extends toy {
  add const price = 5   @Rules.One
}
