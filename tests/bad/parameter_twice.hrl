variant parameter_twice extends toy {
  add def same(a : Seat, a : Seat) = a == a
}
