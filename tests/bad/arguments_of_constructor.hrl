variant arguments_of_constructor extends toy {
  add def mine(t : Tile) = spot[t] == held(mover, 1)
}
