variant compare_colour_number extends toy {
  add def odd(t : Tile) = hue[t] == level[t]
}
