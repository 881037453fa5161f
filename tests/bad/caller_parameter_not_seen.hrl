variant caller_parameter_not_seen extends toy {
  add def mine() = spot[t] == held(mover)
  add action grab(t : Tile) when mine() { spot[t]' = table }
}
