variant second_score extends toy {
  add score = 5
}
