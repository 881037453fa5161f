variant argument_type extends toy {
  add def odd(s : Seat) = on_table(s)
}
