# What counting tokens rests on: what costs one, what gives one back, and that mistakes are counted.
variant tokens extends turns {
  clause @needs.tokens "a deal is judged by how many hints and discards there are tokens for"

  # As many tokens as there can be of each colour; whoever asks says how many that is.
  add param most_blue : 0..999 = 8  @needs.tokens
  add param most_red : 0..999 = 3   @needs.tokens

  add invariant need_no_debt : blue_left >= 0                                              @needs.tokens
  add step need_hint_costs :
    over() or over()' or gone_cards()' == gone_cards() + 1 or blue_left' == blue_left - 1  @needs.tokens
  add step need_play_gains :
    forall(place[c] != fireworks and place[c]' == fireworks
           implies red_spent' == red_spent
           and blue_left' == (if rank[c] == last(Rank) then min(blue_left + 1, most_blue) else blue_left)
           for c : Card)                                                                   @needs.tokens
  add step need_discard_gains :
    forall(place[c] != discards and place[c]' == discards and red_spent' == red_spent
           implies blue_left < most_blue and blue_left' == blue_left + 1 for c : Card)     @needs.tokens
  add step need_mistake_costs :
    red_spent' == red_spent or red_spent' == red_spent + 1 and blue_left' == blue_left     @needs.tokens
  add invariant need_mistakes_end : red_spent == most_red implies ended()                  @needs.tokens
}
