variant primed_update extends toy {
  add action skip() { left' = left' - 1 }
}
