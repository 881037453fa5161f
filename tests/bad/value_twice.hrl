variant value_twice extends toy {
  add enum Light = on | off | on
}
