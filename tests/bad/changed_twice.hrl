# spec: changed_twice.hrl+doubled.hrl
variant changed_twice extends toy {
  override def on_table(c) = 3
}
