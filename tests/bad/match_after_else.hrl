variant match_after_else extends toy {
  add def loose(t : Tile) = match spot[t] { else : true ; bag : false }
}
