variant match_twice extends toy {
  add def loose(t : Tile) = match spot[t] { bag : true ; bag : false ; else : true }
}
