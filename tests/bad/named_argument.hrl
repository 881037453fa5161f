variant named_argument extends toy {
  add def odd() = on_table(c = red) > 1
}
