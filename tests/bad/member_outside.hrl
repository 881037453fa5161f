variant member_outside extends toy {
  add def ghost() = mover == Seat(7)
}
