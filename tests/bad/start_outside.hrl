variant start_outside extends toy {
  override start { left = 12 }
}
