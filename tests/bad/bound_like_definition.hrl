variant bound_like_definition extends toy {
  add action look(on_table : Tile) { reveal hue[on_table] }
}
