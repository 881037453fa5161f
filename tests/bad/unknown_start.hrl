variant unknown_start extends toy {
  add start { lft = 0 }
}
