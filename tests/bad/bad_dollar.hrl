variant bad_dollar extends toy {
  add const price = $5
}
