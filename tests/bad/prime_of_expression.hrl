variant prime_of_expression extends toy {
  add step shrink : (left + 1)' <= left + 1
}
