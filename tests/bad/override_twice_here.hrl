variant override_twice_here extends toy {
  override score = 1
  override score = 2
}
