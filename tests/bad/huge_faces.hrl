variant huge_faces extends toy {
  override cards Tile(hue : Colour, level : 1..1000000) copies 1
}
