variant unknown_map extends toy {
  add def away(t : Tile) = spt[t] == bag
}
