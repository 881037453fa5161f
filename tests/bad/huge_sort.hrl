variant huge_sort extends toy {
  add sort Ant = 1000000
}
