variant bound_in_pattern extends toy {
  add def holder(t : Tile) = match spot[t] { held(left) : left == mover ; else : false }
}
