variant override_start_of_nothing extends toy {
  override start { lft = 3 }
}
