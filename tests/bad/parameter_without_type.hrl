variant parameter_without_type extends toy {
  add def low(n) = left < n
}
