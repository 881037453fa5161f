variant remove_var_still_used extends toy {
  remove var left
}
