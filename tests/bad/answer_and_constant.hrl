variant answer_and_constant extends toy {
  add const calm = 3
}
