variant primed_guard extends toy {
  add action skip() when left' > 0 { left' = 0 }
}
