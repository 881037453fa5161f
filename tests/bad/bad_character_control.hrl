variant bad_character_control extends toy {
  add def fine() = left [31m 1
}
