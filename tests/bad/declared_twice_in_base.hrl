variant declared_twice_in_base extends toy {
  add var left : 0..3
}
