variant index_count extends toy {
  add def told(t : Tile) = seen[t] == shown
}
