variant arguments extends toy {
  add def odd(t : Tile) = on_table(hue[t], 3)
}
