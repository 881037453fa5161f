variant bound_like_score extends toy {
  add invariant never_three : not exists(score == 3 for score : Level)
}
