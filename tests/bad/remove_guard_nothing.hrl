variant remove_guard_nothing extends toy {
  remove when lay.mine
}
