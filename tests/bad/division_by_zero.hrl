variant division_by_zero extends toy {
  add def share() = left / 0
}
