variant if_without_else extends toy {
  add const many = if players == 2 then 3
}
