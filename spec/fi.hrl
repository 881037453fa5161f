# The Finnish rulebook.
edition fi extends base offers expert, timed, avalanche {
  source "sources/fi.toml"
  set perfect_in_last_round = plays_on because "a perfect display ends the game only before the cards run out"  @end.perfect

  override example worked(a : 0..5, b : 0..5) : a + 4 + b + 5 + 2 == 18  @score.example
}
