variant several_mistakes extends toy {
  add def soon() = lefft <= 1
  add def odd(t : Tile) = hue[t] == 3
  add action skip() when left { rihgt' = 0 }
}
