variant set_parameter_outside extends toy {
  set reserve = 6
}
