variant huge_product_of_numbers extends toy {
  add const many = 999999999 * 999999999 * 999999999 * 999999999
}
