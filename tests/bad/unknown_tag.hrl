variant unknown_tag extends toy {
  add after moves chime { left' = 0 }
}
