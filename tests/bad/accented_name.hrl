variant accented_name extends toy {
  add const größe = 3
}
