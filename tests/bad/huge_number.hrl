variant huge_number extends toy {
  add const many = 1234567890123456789012345678901234567890
}
