variant record_in_end_score extends toy {
  add end known over when left == 3 score count(seen[t, s] == shown for t : Tile, s : Seat)
}
