# The Finnish rulebook.
edition fi extends base offers expert, timed, avalanche {
  source "sources/fi.toml"
  set perfect_in_last_round = plays_on because "a perfect display ends the game only before the cards run out"  @end.perfect

  override unreachable perfect_but_lost : ended(strikes) and perfect()
    expect refuted because "after the pile is empty a perfect display does not end the game, and a third red token loses it"  @end.perfect @end.red

  override example worked(a : 0..5, b : 0..5) : a + 4 + b + 5 + 2 == 18  @score.example

  with expert {
    # There is no last round in which a perfect display could still be lost.
    override unreachable perfect_but_lost : ended(strikes) and perfect()  @end.perfect @end.red @expert.no_last_round
  }
}
