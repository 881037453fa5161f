variant label_twice extends toy {
  strengthen action wait when left > 1 label slow
  strengthen action wait when left > 2 label slow
}
