variant ambiguous_value extends toy {
  add enum Light = red | amber
  add const stop = red
}
