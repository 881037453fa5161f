variant division_by_variable extends toy {
  add def share() = 9 / left
}
