variant value_and_variable extends toy {
  add var red : Colour
  add start { red = green }
  add def same(e : Colour) = red == e
}
