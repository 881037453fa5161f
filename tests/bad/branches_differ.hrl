variant branches_differ extends toy {
  add def odd() = if left > 3 then red else 5
}
