# The Dutch rulebook as it is laid out: drawing a card stands under what happens to a card that does not fit. Read
# literally, whoever plays a card that fits draws none. A reading to be refuted, not a way to play.
variant dutch_layout extends base {
  set draw_after_fit = no because "the sentence about drawing stands in the paragraph about mistakes"  @play.draw

  # Hands shrink with every card that fits, and only with those: no more cards can be played than were dealt.
  remove property hands_full                                                              @play.draw
  add invariant never_replaced :
    sum(count(held(c, p) for c : Card) for p : Player) + points() <= players * hand_size  @play.draw
  override deadlock_free always_a_move
    expect refuted because "a player whose cards all fitted has nothing to play or discard, and no hint to give without a blue token"  @play.draw @turn.one
  override reachable maximum : score == size(Suit) * size(Rank)
    expect refuted because "no more cards can be played than the first hands hold"        @play.draw @end.perfect
  add defect "end perfect comes about" because "no more cards can be played than the first hands hold"  @play.draw @end.perfect
}
