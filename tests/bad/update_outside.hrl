variant update_outside extends toy {
  add action reset() { left' = 10 }
}
