variant bad_ampersand extends toy {
  add def fine() = left > 1 && left < 5
}
