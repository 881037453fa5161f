variant match_number extends toy {
  add def low() = match left { zero : true ; else : false }
}
