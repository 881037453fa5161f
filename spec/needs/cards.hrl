# What an argument about room in hands rests on: where cards are, and that they never go back.
variant cards extends base {
  clause @needs.cards "a deal is judged by where cards can be when the next one is drawn"

  # As many cards as a hand is dealt; whoever asks says how many that is.
  add param dealt : 1..99 = 5  @needs.cards

  add def cards_built(s : Suit) = count(place[c] == fireworks and suit[c] == s for c : Card)  @needs.cards
  add invariant need_pile : forall((place[c] == pile) == (index(c) >= drawn) for c : Card)    @needs.cards
  add invariant need_room : forall(count(place[c] == hand(p) for c : Card) <= dealt for p : Player)  @needs.cards
  add invariant need_from_below :
    forall(count(place[c] == fireworks and suit[c] == s and rank[c] == r for c : Card) == (if r <= cards_built(s) then 1 else 0)
           for s : Suit, r : Rank)                                                            @needs.cards
  add step need_one_drawn : drawn' == drawn or drawn' == drawn + 1                            @needs.cards
  add step need_drawn_is_held :
    drawn' == drawn or exists(index(c) == drawn and place[c]' == hand(p) for c : Card, p : Player)  @needs.cards
  add step need_played_stays : forall(place[c] == fireworks implies place[c]' == fireworks for c : Card)  @needs.cards
  add step need_gone_stays : forall(place[c] == discards implies place[c]' == discards for c : Card)  @needs.cards
  # No end may score the maximum without this; that is asked of every end.
  add reachable need_display :
    forall(exists(place[c] == fireworks and suit[c] == s and rank[c] == r for c : Card) for s : Suit, r : Rank)  @needs.cards
}
