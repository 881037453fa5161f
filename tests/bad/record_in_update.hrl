variant record_in_update extends toy {
  add action grab(t : Tile) { left' = if seen[t, mover] == shown then 0 else 1 }
}
