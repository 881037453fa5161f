variant match_without_arms extends toy {
  add def any(s : Spot) = match s { }
}
