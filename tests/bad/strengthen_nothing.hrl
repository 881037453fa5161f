variant strengthen_nothing extends toy {
  strengthen action ly when left > 3
}
