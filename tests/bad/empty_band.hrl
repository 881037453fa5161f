variant empty_band extends toy {
  override bands { 5..3 "odd" }
}
