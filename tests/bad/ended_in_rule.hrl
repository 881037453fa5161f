variant ended_in_rule extends toy {
  add action skip() when not ended() { left' = 0 }
}
