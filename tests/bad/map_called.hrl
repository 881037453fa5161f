variant map_called extends toy {
  add def away(t : Tile) = spot(t) == bag
}
