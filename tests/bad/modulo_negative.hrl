variant modulo_negative extends toy {
  add def share() = left % -3
}
