variant index_of_scalar extends toy {
  add def low(t : Tile) = left[t] == 0
}
