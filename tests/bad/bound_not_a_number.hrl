variant bound_not_a_number extends toy {
  add range Odd = 1..red
}
