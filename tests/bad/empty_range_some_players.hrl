variant empty_range_some_players extends toy {
  add range Middle = 1..players - 2
}
