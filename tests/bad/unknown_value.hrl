variant unknown_value extends toy {
  add def is_red(t : Tile) = hue[t] == rad
}
