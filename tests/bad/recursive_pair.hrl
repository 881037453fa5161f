variant recursive_pair extends toy {
  add def ping(n : 0..9) = pong(n)
  add def pong(n : 0..9) = ping(n)
}
