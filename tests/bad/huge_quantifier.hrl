variant huge_quantifier extends toy {
  add def any() = exists(a + b == left for a : 0..100000, b : 0..100000)
}
