variant bound_like_value extends toy {
  add def painted(red : Colour) = exists(hue[t] == red for t : Tile)
}
