# The English and Chinese rulebook of 2016.
edition en extends base offers expert, timed, avalanche {
  source "sources/en.toml"
  set empty_hint = refused because "every example touches a card, and nothing allows more"  @hint.empty
  set perfect_in_last_round = plays_on because "a perfect display ends the game only before the cards run out"  @end.perfect

  override unreachable perfect_but_lost : ended(strikes) and perfect()
    expect refuted because "after the pile is empty a perfect display does not end the game, and a third red token loses it"  @end.perfect @end.red

  override example worked() : 4 + 2 + 1 + 4 == 14
    expect refuted because "the four terms make 11"                    @score.example
  add example worked_with_a_fifth(e : 0..5) : 4 + 2 + 1 + 4 + e == 14  @score.example

  with avalanche {
    override example multicoloured : sum(copies(multi, r) for r : Rank) == 6
      expect refuted because "the box holds five multicoloured cards"  @avalanche.count
  }

  with expert {
    # There is no last round in which a perfect display could still be lost.
    override unreachable perfect_but_lost : ended(strikes) and perfect()  @end.perfect @end.red @expert.no_last_round
  }
}
