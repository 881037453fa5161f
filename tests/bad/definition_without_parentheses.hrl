variant definition_without_parentheses extends toy {
  add def low() = left <= 1
  add action skip() when low { left' = 0 }
}
