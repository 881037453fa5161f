variant recursive_type extends toy {
  add union Tree = leaf | node(Tree, Tree)
}
