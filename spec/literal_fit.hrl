# "Begins or completes a firework", read literally: only the first and the last value fit. A reading to be refuted: it
# contradicts the order of the fireworks, in which each value follows the one before.
variant literal_fit extends base {
  set fit = literal because "the print speaks of cards that begin or complete a firework, and of no others"  @play.fit @play.misfit

  add invariant one_card_each : forall(height(s) <= 1 for s : Suit)           @play.fit
  add reachable a_second_card : exists(place[c] == fireworks and rank[c] == first(Rank) + 1 for c : Card)
    expect refuted because "a 2 neither begins a firework nor completes one"  @play.fit @fireworks.order
  override reachable maximum : score == size(Suit) * size(Rank)
    expect refuted because "no firework grows beyond its first card"          @play.fit @fireworks.order @end.perfect
  add defect "end perfect comes about"
    because "no firework grows beyond its first card"                         @play.fit @end.perfect
  add defect "case play.bonus comes about"
    because "no firework is completed, so no bonus is earned"                 @play.fit @fireworks.bonus
}
