# helper
variant doubled extends toy {
  override def on_table(c) = count(hue[t] == c for t : Tile)
  add end sudden lost when left == 1 before empty
  override case lay.quick { tick(2) }
}
