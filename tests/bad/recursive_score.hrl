variant recursive_score extends toy {
  override score = score + 1
}
