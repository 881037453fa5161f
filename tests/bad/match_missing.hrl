variant match_missing extends toy {
  add def loose(t : Tile) = match spot[t] { bag : true ; held(s) : false }
}
