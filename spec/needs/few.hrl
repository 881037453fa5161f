# What an argument about too few cards rests on: who plays one has one less from then on.
variant few extends cards {
  clause @needs.few "a deal is judged by how many cards there are in hands"

  add def at_hand_or_played() = count(place[c] != pile and place[c] != discards for c : Card)  @needs.few
  add step need_not_replaced : at_hand_or_played()' <= at_hand_or_played()                     @needs.few
}
