variant bound_within extends toy {
  add def twice(t : Tile) = exists(hue[t] == red for t : Tile)
}
