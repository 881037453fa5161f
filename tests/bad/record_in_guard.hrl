variant record_in_guard extends toy {
  add action grab(t : Tile) when seen[t, mover] == shown { left' = 0 }
}
