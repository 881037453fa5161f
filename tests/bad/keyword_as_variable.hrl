variant keyword_as_variable extends toy {
  add var count : 0..3
  add start { count = 0 }
}
