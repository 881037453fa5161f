# What counting tokens rests on where some may be left: at least what is spent, at most what comes back.
variant spending extends turns {
  clause @needs.spending "a deal is judged by how many hints there can be tokens for"

  # As many tokens as there can be of each colour; whoever asks says how many that is.
  add param most_blue : 0..999 = 8  @needs.spending
  add param most_red : 0..999 = 3   @needs.spending

  add invariant need_no_debt : blue_left >= 0 and blue_left <= most_blue                   @needs.spending
  add step need_hint_costs :
    over() or over()' or gone_cards()' == gone_cards() + 1 or blue_left' <= blue_left - 1  @needs.spending
  add step need_play_gains :
    forall(place[c] != fireworks and place[c]' == fireworks
           implies red_spent' == red_spent
           and blue_left' <= (if rank[c] == last(Rank) then blue_left + 1 else blue_left)
           for c : Card)                                                                   @needs.spending
  add step need_discard_gains :
    forall(place[c] != discards and place[c]' == discards and red_spent' == red_spent
           implies blue_left' <= blue_left + 1 for c : Card)                               @needs.spending
  add step need_mistake_costs :
    red_spent' == red_spent or red_spent' == red_spent + 1 and blue_left' <= blue_left     @needs.spending
  add invariant need_mistakes_end : red_spent == most_red implies ended()                  @needs.spending
}
