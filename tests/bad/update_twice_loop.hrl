variant update_twice_loop extends toy {
  add action skip() { for t : Tile { left' = 0 } }
}
