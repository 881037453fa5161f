variant override_nothing extends toy {
  override def on_tabel(c) = 3
}
