# A patience for one: twelve cards, three of them open. No players, no turns, nothing told.
game solitaire {
  clause @deck.cards "There are three suits of four ranks, and each card once."
  clause @deck.shuffle "The cards are shuffled and lie face down as the stock."
  clause @row.open "Cards are dealt open into a row: three of them, unless agreed otherwise."
  clause @row.refill "After each move the row is filled up from the stock, if there is one."
  clause @build.order "Each suit is built up from its lowest rank, one card upon the other."
  clause @build.double "Building the highest rank of a suit gives one toss back."
  clause @toss.move "Instead of building, a card of the row may be tossed away."
  clause @toss.limit "There are four tosses, unless agreed otherwise."
  clause @end.all "The game is won at once when every suit is complete."
  clause @end.stuck "The game is over when nothing can be built and nothing can be tossed."
  clause @score.cards "Each card that was built is worth a point."
  clause @score.names "The result has a name."
  clause @house.empty "Whether one may toss while the stock is empty is for each house to say."

  param open : 1..5 = 3    @row.open
  param tosses : 0..9 = 4  @toss.limit

  enum Suit = moon | sun | star                  @deck.cards
  range Rank = 1..4                              @deck.cards
  cards Card(suit : Suit, rank : Rank) copies 1  @deck.cards @deck.shuffle
  enum Place = stock | row | built | tossed      @deck.shuffle @row.open @toss.move
  const full = size(Suit) * size(Rank)           @score.cards

  ruling empty_toss : {allowed, refused} = allowed
    "may a card be tossed while the stock is empty?"  @house.empty

  var place[Card] : Place    @deck.shuffle
  var drawn : 0..size(Card)  @row.refill
  var left : 0..tosses       @toss.limit

  start {
    place[c] = if index(c) < open then row else stock  @row.open
    drawn = min(open, size(Card))                      @row.open
    left = tosses                                      @toss.limit
  }

  def height(s : Suit) = count(place[c] == built and suit[c] == s for c : Card)  @build.order
  def fits(c : Card) = rank[c] == height(suit[c]) + 1                            @build.order
  def waiting(c : Card) = place[c] == stock or place[c] == row                   @deck.shuffle

  effect refill() {
    case drawn < size(Card) label card {
      place[Card(drawn)]' = row
      drawn' = drawn + 1
      reveal suit[Card(drawn)], rank[Card(drawn)]
    }
  }  @row.refill

  action build(c : Card) : move      @build.order
    when place[c] == row label open  @row.open
    when fits(c) label fits          @build.order
  {
    place[c]' = built  @build.order
    case rank[c] == last(Rank) label top {
      left' = min(left + 1, tosses)
    }                  @build.double
  }

  action toss(c : Card) : move                                    @toss.move
    when place[c] == row label open                               @row.open
    when left > 0 label left                                      @toss.limit
    when drawn < size(Card) or empty_toss == allowed label stock  @house.empty
  {
    place[c]' = tossed  @toss.move
    left' = left - 1    @toss.limit
  }

  after move fill_up then { refill() }  @row.refill

  end complete won when forall(height(s) == size(Rank) for s : Suit)  @end.all
  end stuck late over when not enabled(build, toss)                   @end.stuck

  score = sum(height(s) for s : Suit)  @score.cards
  bands {
    0..full / 2 "a short evening"
    full / 2 + 1..full - 1 "not bad"
    full "all of them"
  }                                    @score.names

  invariant stock_is_undrawn : forall((place[c] == stock) == (index(c) >= drawn) for c : Card)  @row.refill
  invariant row_size : count(place[c] == row for c : Card) <= open                              @row.open
  invariant built_from_below : forall(place[c] == built implies rank[c] <= height(suit[c]) for c : Card)  @build.order
  invariant no_gaps :
    forall(r <= height(s) implies exists(place[c] == built and suit[c] == s and rank[c] == r for c : Card)
           for s : Suit, r : Rank)                                                              @build.order
  invariant heights : forall(height(s) <= size(Rank) for s : Suit)                              @build.order
  invariant score_bound : score <= full                                                         @score.cards
  invariant every_toss_counts :
    count(place[c] == tossed for c : Card) + left <= tosses + count(place[c] == built and rank[c] == last(Rank) for c : Card)  @toss.limit @build.double
  step score_grows : score' >= score                                                            @score.cards
  reachable all_built : score == full                                                           @end.all
  reachable nothing_built : ended(stuck) and score == 0                                         @end.stuck
  unreachable too_high : score > full                                                           @score.cards
  unreachable ever_stuck : ended(stuck)
    expect refuted because "the order of the cards may leave nothing to build"                  @end.stuck
  terminates by_cards decreasing [count(waiting(c) for c : Card)]                               @build.order @toss.move
  deadlock_free always_a_move                                                                   @end.stuck
  example twelve : size(Card) == full                                                           @deck.cards

  interface cards {
    face = suit, rank
    letters = "moon m sun s star t"
    build = action build(c)
    maximum = full
  }
}
