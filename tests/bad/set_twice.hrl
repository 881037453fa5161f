# spec: set_twice.hrl+pace_fast.hrl
variant set_twice extends toy {
  set pace = calm
}
