variant set_twice_here extends toy {
  set pace = calm
  set pace = fast
}
