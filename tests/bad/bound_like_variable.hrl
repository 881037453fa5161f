variant bound_like_variable extends toy {
  add def any_left() = exists(left == index(mover) for left : 0..3)
}
