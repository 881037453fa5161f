variant override_guard_of_nothing extends toy {
  override when lie.own true
}
