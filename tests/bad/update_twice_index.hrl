variant update_twice_index extends toy {
  add action drop(t : Tile) { spot[t]' = bag  spot[t]' = table }
}
