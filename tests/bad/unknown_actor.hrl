variant unknown_actor extends toy {
  override actor movr
}
