variant update_twice_hook extends toy {
  add after move clock then { mover' = mover }
}
