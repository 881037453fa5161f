variant index_type extends toy {
  add def away(s : Seat) = spot[s] == bag
}
