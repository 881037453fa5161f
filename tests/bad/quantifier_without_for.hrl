variant quantifier_without_for extends toy {
  add def any() = exists(left > 1)
}
