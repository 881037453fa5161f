# What arguments about turns rest on: every card that leaves is replaced, and then everybody has one turn.
variant turns extends cards {
  clause @needs.turns "a deal is judged by who can still act once the last card is drawn"

  add def gone_cards() = count(place[c] == fireworks or place[c] == discards for c : Card)        @needs.turns
  add invariant need_replaced : ended() or gone_cards() <= drawn - size(Player) * dealt + size(Player) - turns_left  @needs.turns
  add invariant need_last_turns : drawn < size(Card) implies turns_left == size(Player)           @needs.turns
  add invariant need_no_turn_left : turns_left == 0 implies ended()                               @needs.turns
  add step need_countdown : drawn == size(Card) implies over()' or turns_left' == turns_left - 1  @needs.turns
  add def over() = ended()                                                                        @needs.turns
  add step need_next : over()' or turn' == next(turn)                                             @needs.turns
  add step need_own_card : forall(place[c] == hand(p) and place[c]' != hand(p) implies p == turn for c : Card, p : Player)  @needs.turns
  add step need_own_draw :
    forall(place[c]' == hand(p) implies place[c] == hand(p) or p == turn and index(c) == drawn for c : Card, p : Player)  @needs.turns
  add step need_one_leaves : gone_cards()' <= gone_cards() + 1                                    @needs.turns
}
