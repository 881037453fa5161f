variant empty_range extends toy {
  add range Nothing = 3..1
}
