variant arguments_of_builtin extends toy {
  add const many = size(Colour, Level)
}
