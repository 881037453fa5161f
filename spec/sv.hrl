# The Swedish rulebook.
edition sv extends base offers expert, timed, avalanche {
  source "sources/sv.toml"
  set perfect_in_last_round = plays_on because "a perfect display ends the game only before the cards run out"  @end.perfect

  override unreachable perfect_but_lost : ended(strikes) and perfect()
    expect refuted because "after the pile is empty a perfect display does not end the game, and a third red token loses it"  @end.perfect @end.red

  override example worked() : 3 + 4 + 4 + 5 + 2 == 18  @score.example

  with avalanche {
    # The new scale completes the old one, so that 25 points lie in two bands.
    override bands when rated {
      0..5 "dreadful: the crowd boos"
      6..10 "poor: hardly any applause"
      11..15 "fair: soon forgotten"
      16..20 "good: the crowd is pleased"
      21..24 "very good: long remembered"
      25 "legendary: nobody finds words"
      25..29 "legendary: young and old find no words"
      30 "divine: brighter than the stars"
    }
      expect refuted because "25 points are in the old scale and in the new one"  @avalanche.bands @score.bands
  }

  with expert {
    # There is no last round in which a perfect display could still be lost.
    override unreachable perfect_but_lost : ended(strikes) and perfect()  @end.perfect @end.red @expert.no_last_round
  }
}
