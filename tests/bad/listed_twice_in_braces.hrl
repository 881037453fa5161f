variant listed_twice_in_braces extends toy {
  add var mood : {merry, sad, merry}
  add start { mood = sad }
}
