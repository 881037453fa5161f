game verb_in_game {
  add const price = 5
}
