variant override_no_guard extends toy {
  override when lay.ownn true
}
