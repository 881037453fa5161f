variant record_in_end extends toy {
  add end known over when forall(seen[t, s] == shown for t : Tile, s : Seat)
}
