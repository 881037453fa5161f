variant negative_sort extends toy {
  add sort Ant = 3 - 5
}
