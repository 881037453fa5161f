variant override_parameters extends toy {
  override def on_table(c, d) = 3
}
