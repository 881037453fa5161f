variant remove_still_used extends toy {
  remove effect tick
}
