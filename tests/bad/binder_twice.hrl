variant binder_twice extends toy {
  add def any() = exists(s == s for s : Seat, s : Seat)
}
