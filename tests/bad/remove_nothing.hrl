variant remove_nothing extends toy {
  remove effect tock
}
