variant record_in_record extends toy {
  add action peek(t : Tile) { seen[t, mover]' = if seen[t, mover] == shown then unseen else shown }
}
