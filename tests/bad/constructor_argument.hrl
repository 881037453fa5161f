variant constructor_argument extends toy {
  add def mine(t : Tile) = spot[t] == held(t)
}
