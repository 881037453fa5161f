variant recursive_effect extends toy {
  add effect loop(n : 1..2) { loop(n) }
}
