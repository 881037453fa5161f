variant declared_twice extends toy {
  add const limit = 3
  add def limit() = 4
}
