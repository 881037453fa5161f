variant minimum_over_nothing extends toy {
  add def lowest() = min(level[t] for t : Tile where spot[t] == table)
}
