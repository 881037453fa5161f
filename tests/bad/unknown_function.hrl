variant unknown_function extends toy {
  add def more() = on_tabel(red)
}
