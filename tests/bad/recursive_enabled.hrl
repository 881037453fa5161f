variant recursive_enabled extends toy {
  strengthen action wait when not enabled(wait)
}
