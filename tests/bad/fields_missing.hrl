variant fields_missing extends toy {
  add def mine(t : Tile) = spot[t] == held
}
