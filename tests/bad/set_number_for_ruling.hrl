variant set_number_for_ruling extends toy {
  set pace = 3
}
