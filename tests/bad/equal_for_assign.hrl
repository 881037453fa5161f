variant equal_for_assign extends toy {
  add const price == 5
}
