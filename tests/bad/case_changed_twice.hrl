# spec: case_changed_twice.hrl+doubled.hrl
variant case_changed_twice extends toy {
  remove case lay.quick
}
