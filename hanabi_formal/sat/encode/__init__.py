"""One deal of a System, unrolled step by step to clauses."""
