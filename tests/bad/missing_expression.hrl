variant missing_expression extends toy {
  add const price = 
}
