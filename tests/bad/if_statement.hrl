variant if_statement extends toy {
  add action skip() { if left > 3 { left' = 0 } }
}
