variant record_in_score extends toy {
  override score = count(seen[t, s] == shown for t : Tile, s : Seat)
}
