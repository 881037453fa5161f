variant match_fields extends toy {
  add def mine(t : Tile) = match spot[t] { held(s, r) : true ; else : false }
}
