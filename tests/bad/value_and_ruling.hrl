variant value_and_ruling extends toy {
  add value pace to Colour
}
