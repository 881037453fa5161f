variant huge_union extends toy {
  add union Pair = pair(0..999, 0..999)
}
