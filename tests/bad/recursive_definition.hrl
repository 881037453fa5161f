variant recursive_definition extends toy {
  add def total(n : 0..9) = if n == 0 then 0 else n + total(n - 1)
}
