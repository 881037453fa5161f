variant missing_then extends toy {
  add const price = if players == 2 5 else 6
}
