variant told_to_whom extends toy {
  add sort Team = 5
  add action show(t : Tile) { reveal hue[t] to x : Team }
}
