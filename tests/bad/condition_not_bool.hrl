variant condition_not_bool extends toy {
  add action skip() when left { left' = 0 }
}
