variant index_of_attribute extends toy {
  add def odd(t : Tile) = hue == red
}
