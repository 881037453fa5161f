variant colour_copies extends toy {
  override cards Tile(hue : Colour, level : Level) copies hue
}
