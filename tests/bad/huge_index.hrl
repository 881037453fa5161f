variant huge_index extends toy {
  add var shelf[0..1000000000] : Bool
  add start { shelf[i] = false }
}
