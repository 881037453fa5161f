variant record_in_bands extends toy {
  override bands when exists(seen[t, s] == shown for t : Tile, s : Seat) { 0..18 "any" }
}
