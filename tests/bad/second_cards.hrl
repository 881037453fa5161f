variant second_cards extends toy {
  add cards Chip(tone : Level) copies 1
}
