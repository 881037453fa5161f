variant override_no_case extends toy {
  override case lay.quik { tick(2) }
}
