variant empty_cards extends toy {
  override cards Tile(hue : Colour, level : Level) copies 0
}
