variant huge_enum_of_cards extends toy {
  override cards Tile(hue : Colour, level : Level) copies 1000
}
