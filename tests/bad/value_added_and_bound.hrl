variant value_added_and_bound extends toy {
  add value t to Colour
}
