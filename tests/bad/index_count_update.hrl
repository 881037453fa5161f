variant index_count_update extends toy {
  add action drop() { spot' = bag }
}
