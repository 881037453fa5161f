variant builtin_as_name extends toy {
  add def next(s : Seat) = s
}
