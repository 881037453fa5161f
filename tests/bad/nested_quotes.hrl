variant nested_quotes extends toy {
  add clause @quiet "they say "hush""
}
