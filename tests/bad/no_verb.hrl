variant no_verb extends toy {
  def fine() = left > 1
}
