# The crowning piece: no last round, no scale; the display is perfect or the game is lost.
variant expert extends base {
  add ruling misfit_is_discard : {yes, no} = yes
    "does misplaying an indispensable card count as discarding it?"  @expert.indispensable

  # Without the countdown `turns_left` stays what it was: everyone always has a turn, and hands shrink.
  remove after countdown  @expert.no_last_round @expert.hands_shrink
  remove end last_round   @expert.no_last_round

  # The last copy that a firework could still use has gone: an event, so a flag that the step sets.
  add var irreplaceable_lost : Bool                                      @expert.indispensable
  add start { irreplaceable_lost = false @expert.indispensable }
  add def indispensable(c : Card) =
    rank[c] > height(suit[c])
    and not exists(d != c and place[d] != discards and suit[d] == suit[c] and rank[d] == rank[c] for d : Card)  @expert.indispensable
  override effect throw_away(c) {
    place[c]' = discards                                                 @discard.pile
    irreplaceable_lost' = indispensable(c)                               @expert.indispensable
  }                                                                      @expert.indispensable
  override effect misfit(c) {
    place[c]' = discards                                                 @play.misfit
    red_spent' = min(red_spent + 1, red_tokens)                          @play.misfit
    irreplaceable_lost' = misfit_is_discard == yes and indispensable(c)  @expert.indispensable
  }                                                                      @play.misfit
  add end indispensable lost when irreplaceable_lost score lost_score() @expert.indispensable before perfect

  override const rated = false  @expert.no_scale

  add invariant always_a_turn : turns_left == players  @expert.no_last_round
  remove property hands_full                           @expert.hands_shrink
  # Without a last round there are turns enough.
  remove property buried_too_deep                                                                 @expert.no_last_round
  remove property buried_and_perfect                                                              @expert.no_last_round
  override deadlock_free always_a_move
    expect refuted because "a player without cards has nothing to do when no blue token is left"  @expert.hands_shrink @turn.one
}
