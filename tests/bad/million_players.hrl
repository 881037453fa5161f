variant million_players extends toy {
  set players : 1..1000000
}
