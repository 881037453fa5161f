variant clause_twice extends toy {
  clause @turn "again"
}
