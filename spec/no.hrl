# The Norwegian rulebook.
edition no extends base offers expert {
  source "sources/no.toml"
  set perfect_in_last_round = plays_on because "a perfect display ends the game only while there are cards in the pile"  @end.perfect

  override unreachable perfect_but_lost : ended(strikes) and perfect()
    expect refuted because "after the pile is empty a perfect display does not end the game, and a third red token loses it"  @end.perfect @end.red

  override example worked(a : 0..5) : a + 2 + 3 + 1 + 4 == 18
    expect refuted because "as scanned, the four legible terms make 10, and no firework is worth 8"  @score.example

  with expert {
    # There is no last round in which a perfect display could still be lost.
    override unreachable perfect_but_lost : ended(strikes) and perfect()  @end.perfect @end.red @expert.no_last_round
  }
}
