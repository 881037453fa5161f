variant unknown_enabled_variable extends toy {
  add def able(s : Seat) = enabled(lay, movr = s)
}
