variant arguments_none extends toy {
  add def odd() = on_table() > 3
}
