variant value_added_to_nothing extends toy {
  add value pink to Color
}
