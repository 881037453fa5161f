variant unknown_size extends toy {
  add const many = size(Colors)
}
