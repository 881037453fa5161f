variant set_bad_value extends toy {
  set pace = quick
}
