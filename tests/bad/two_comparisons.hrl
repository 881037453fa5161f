variant two_comparisons extends toy {
  add def fine() = 1 < left < 5
}
