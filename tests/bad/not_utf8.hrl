variant not_utf8 extends toy {
  # Größe
}
