variant comment_slashes extends toy {
  // how many there are
  add const many = 3
}
