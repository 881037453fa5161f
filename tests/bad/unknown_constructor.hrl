variant unknown_constructor extends toy {
  add def loose(t : Tile) = match spot[t] { bagg : true ; else : false }
}
