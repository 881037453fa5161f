# The avalanche of colours: five multicoloured cards, a sixth colour that can be named.
variant avalanche extends base {
  add value multi to Suit                                                           @avalanche.colour @avalanche.named
  override def copies(s, r) =
    if s == multi or r == last(Rank) then 1 else if r == first(Rank) then 3 else 2  @avalanche.count @parts.cards

  override bands when rated {
    0..5 "dreadful: the crowd boos"
    6..10 "poor: hardly any applause"
    11..15 "fair: soon forgotten"
    16..20 "good: the crowd is pleased"
    21..24 "very good: long remembered"
    25..29 "legendary: young and old find no words"
    30 "divine: brighter than the stars"
  }  @avalanche.bands @score.bands

  override example box : size(Card) == 10 * (size(Suit) - 1) + size(Rank)  @parts.total @parts.multi
  add example multicoloured : sum(copies(multi, r) for r : Rank) == 5      @avalanche.count
  add example most : size(Suit) * size(Rank) == 30                         @avalanche.maximum
}
