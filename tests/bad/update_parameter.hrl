variant update_parameter extends toy {
  add action raise() { reserve' = 3 }
}
