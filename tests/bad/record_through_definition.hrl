variant record_through_definition extends toy {
  add def known(t : Tile) = seen[t, mover] == shown
  add action grab(t : Tile) when known(t) { left' = 0 }
}
