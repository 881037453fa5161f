variant add_seats extends toy {
  add def more(s : Seat) = s + 1
}
