variant primed_attribute extends toy {
  add step same : forall(hue[t]' == hue[t] for t : Tile)
}
