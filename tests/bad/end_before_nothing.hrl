variant end_before_nothing extends toy {
  add end early won when left == 2 before emty
}
