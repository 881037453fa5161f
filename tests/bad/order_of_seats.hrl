variant order_of_seats extends toy {
  add def before_(a : Seat, b : Seat) = a < b
}
