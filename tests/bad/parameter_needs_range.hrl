variant parameter_needs_range extends toy {
  add param extra : Colour
}
