variant huge_product extends toy {
  add var triple[Tile, Tile, Tile, Tile, Tile] : Bool
  add start { triple[a, b, c, d, e] = false }
}
