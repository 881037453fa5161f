variant value_added_twice extends toy {
  add value green to Colour
}
