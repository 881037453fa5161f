variant unknown_end extends toy {
  add invariant sane : ended(empti) implies left == 0
}
