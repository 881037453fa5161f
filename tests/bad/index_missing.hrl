variant index_missing extends toy {
  add def away() = spot == bag
}
