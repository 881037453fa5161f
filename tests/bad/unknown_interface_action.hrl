variant unknown_interface_action extends toy {
  add interface cards {
    face = hue, level
    play = action put(c)
  }
}
