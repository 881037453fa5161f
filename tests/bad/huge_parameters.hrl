variant huge_parameters extends toy {
  add action swap(a : 0..99999, b : 0..99999) { left' = 0 }
}
