# The same patience for an evening when one wants to win.
variant solitaire_relaxed extends solitaire {
  clause @relaxed.comet "A fourth suit, the comets, joins the others."
  clause @relaxed.recycle "Once a game the tossed cards are put back into the row."
  clause @relaxed.start "One card lies built from the beginning: the first of the deal, if it is a lowest rank."
  clause @relaxed.top "A complete suit gives all tosses back."
  clause @relaxed.toss "A card that could be built must not be tossed."
  clause @relaxed.free "Tossing needs no stock."
  clause @relaxed.build "Any rank may begin a suit; it goes round from the highest to the lowest."
  clause @relaxed.end "The game is over only when recycling does not help either, and then counts half."
  clause @relaxed.six "There are six tosses."
  clause @relaxed.keep "The last two tosses are kept until the stock is empty."
  clause @relaxed.eve "With the stock empty, the cards recycled and no toss left, the evening is over."

  excludes solitaire_strict because "it allows one toss, and this gives them all back"

  add value comet to Suit                                           @relaxed.comet
  set tosses = 6                                                    @relaxed.six
  set open : 3..6                                                   @row.open
  set empty_toss = allowed because "the variant asks for no stock"  @relaxed.free

  add var recycled : Bool                          @relaxed.recycle
  add start { recycled = false @relaxed.recycle }
  override start {
    place[c] = if index(c) == 0 and rank[c] == first(Rank) then built
      else if index(c) < open then row else stock  @relaxed.start
  }

  add def begun(s : Suit) = height(s) > 0                       @relaxed.build
  override def fits(c) =
    if begun(suit[c]) then exists(follows(d, c) and place[d] == built for d : Card) and height(suit[c]) < size(Rank)
    else true                                                   @relaxed.build
  add def follows(d : Card, c : Card) =
    suit[c] == suit[d] and rank[c] == rank[d] % size(Rank) + 1  @relaxed.build

  add action recycle() : again                              @relaxed.recycle
    when not recycled label once                            @relaxed.recycle
    when exists(place[c] == tossed for c : Card) label any  @relaxed.recycle
  {
    recycled' = true                                           @relaxed.recycle
    for c : Card where place[c] == tossed { place[c]' = row }  @relaxed.recycle
  }

  strengthen action toss when not fits(c) label useless                   @relaxed.toss
  override when toss.left left > 2 or (left > 0 and drawn == size(Card))  @relaxed.keep
  remove when toss.stock                                                  @relaxed.free
  override case build.top { left' = tosses }                              @relaxed.top

  override end stuck late over when not enabled(build, toss, recycle) score score / 2  @relaxed.end
  add end evening over when recycled and left == 0 and drawn == size(Card) @relaxed.eve before stuck

  override bands {
    0..full - 1 "once more"
    full "all of them"
  }  @score.names

  override step score_grows : ended(stuck') or score' >= score   @relaxed.end
  remove property row_size                                       @relaxed.recycle
  remove property every_toss_counts                              @relaxed.top
  remove property built_from_below                               @relaxed.build
  remove property no_gaps                                        @relaxed.build
  remove property nothing_built                                  @relaxed.build
  remove property by_cards                                       @relaxed.recycle
  add terminates by_recycling decreasing
    [if recycled then 0 else 1, count(waiting(c) for c : Card)]  @relaxed.recycle

  override interface cards {
    face = suit, rank
    letters = "moon m sun s star t comet c"
    build = action build(c)
    maximum = full
  }
}
