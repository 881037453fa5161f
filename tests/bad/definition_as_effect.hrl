variant definition_as_effect extends toy {
  add action skip() { on_table(red) }
}
