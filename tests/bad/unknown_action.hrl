variant unknown_action extends toy {
  add def stuck() = not enabled(lay, wiat)
}
