variant missing_prime extends toy {
  add action skip() { left = left - 1 }
}
