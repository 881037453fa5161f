variant update_constant extends toy {
  add action paint(t : Tile) { hue[t]' = red }
}
