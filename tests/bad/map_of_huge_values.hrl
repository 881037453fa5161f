variant map_of_huge_values extends toy {
  add var weight[Tile] : 0..1000000
  add start { weight[t] = 0 }
}
