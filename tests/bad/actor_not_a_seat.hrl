variant actor_not_a_seat extends toy {
  override actor left
}
