variant unknown_update extends toy {
  add action skip() { lft' = 0 }
}
