variant unknown_clause extends toy {
  add def double() = 2 * left   @trun
}
