# A trick game for two or three who play together: everybody is to take a trick.
game tricks {
  clause @deck.cards "There are three suits of four ranks, and each card once."
  clause @deal.all "All cards are dealt, to everybody the same number."
  clause @deal.hidden "Everybody sees his own hand and the cards that were played, and no other hand."
  clause @players.number "Two or three play."
  clause @say.once "Before the first trick everybody in turn says one thing about his hand, or nothing."
  clause @say.true "What is said must be true."
  clause @say.what "One may say that one has cards of a suit, how many, or that one has none."
  clause @say.silence "May one stay silent who has something to say? Houses differ."
  clause @trick.lead "The first player leads to the first trick, later whoever took the last one."
  clause @trick.follow "Who has a card of the suit that was led must play one; who has none shows that."
  clause @trick.take "The highest card of the suit that was led takes the trick."
  clause @trick.turn "Otherwise the turn goes round."
  clause @storm "The highest sword is the storm. If it is led, the game is lost at once."
  clause @end.all "As soon as everybody has a trick, the game is won."
  clause @end.cards "When the last card is played and somebody has no trick, the game is lost."
  clause @score "The score is the number of players with a trick, and each card still held adds one if the game was won."
  clause @score.names "The result has a name."

  param players : 2..3                           @players.number
  sort Player = players                          @players.number
  enum Suit = coins | cups | swords              @deck.cards
  range Rank = 1..4                              @deck.cards
  cards Card(suit : Suit, rank : Rank) copies 1  @deck.cards
  const hand_size = size(Card) / players         @deal.all

  union Place = hand(Player) | table(Player) | taken(Player)                  @deal.all
  union Say = nothing | has(Suit) | number(Suit, 1..hand_size) | lacks(Suit)  @say.what
  enum Phase = saying | playing                                               @say.once
  ruling silence : {allowed, refused} = allowed
    "may a player who has a card say nothing?"                                @say.silence

  var place[Card] : Place                       @deal.all
  var turn : Player                             @trick.turn
  var leader : Player                           @trick.lead
  var to_speak : 0..players                     @say.once
  var tricks[Player] : 0..hand_size             @trick.take
  record said[Player] : Say                     @say.once
  record shown[Player, Suit] : {unknown, void}  @trick.follow

  actor turn

  start {
    place[c] = hand(Player(index(c) % players))  @deal.all
    turn = Player(0)                             @trick.lead
    leader = first(Player)                       @trick.lead
    to_speak = players                           @say.once
    tricks[p] = 0                                @trick.take
    said[p] = nothing                            @say.once
    shown[p, s] = unknown                        @trick.follow
  }

  def phase() = if to_speak > 0 then saying else playing                                   @say.once
  def held(c : Card, p : Player) = place[c] == hand(p)                                     @deal.hidden
  def many(p : Player, s : Suit) = count(held(c, p) and suit[c] == s for c : Card)         @say.what
  def true_of(p : Player, what : Say) = match what {
    nothing : silence == allowed
    has(s) : many(p, s) > 0
    number(s, n) : many(p, s) == n
    lacks(s) : many(p, s) == 0
  }                                                                                        @say.true @say.silence
  def on_table(c : Card) = match place[c] { table(p) : true ; else : false }               @trick.lead
  def led(s : Suit) = exists(place[c] == table(leader) and suit[c] == s for c : Card)      @trick.follow
  def leading() = not exists(on_table(c) for c : Card)                                     @trick.lead
  def may_play(c : Card, p : Player) =
    leading() or led(suit[c]) or forall(led(suit[d]) implies not held(d, p) for d : Card)  @trick.follow
  def trick_done() = count(on_table(c) for c : Card) == players                            @trick.take
  def best(c : Card) =
    on_table(c) and led(suit[c]) and not exists(on_table(d) and suit[d] == suit[c] and rank[d] > rank[c] for d : Card)  @trick.take
  def takes(p : Player) = exists(best(c) and place[c] == table(p) for c : Card)            @trick.take
  def storm(c : Card) = suit[c] == swords and rank[c] == last(Rank)                        @storm

  action say(what : Say) : speech          @say.once
    when phase() == saying label time      @say.once
    when true_of(turn, what) label honest  @say.true
  {
    said[turn]' = what        @say.once
    to_speak' = to_speak - 1  @say.once
    reveal match what {
      nothing : 0
      has(s) : 1
      number(s, n) : n
      lacks(s) : many(turn, s)
    }                         @say.true
  }

  action play(c : Card) : card           @trick.lead
    when phase() == playing label time   @say.once
    when held(c, turn) label own         @deal.hidden
    when may_play(c, turn) label follow  @trick.follow
  {
    place[c]' = table(turn)  @trick.lead
    reveal suit[c], rank[c]  @deal.hidden
    case not leading() and not led(suit[c]) label void {
      for s : Suit where led(s) { shown[turn, s]' = void }
      reveal many(turn, s) for s : Suit where led(s) to q : Player where q != turn
    }                        @trick.follow
  }
  then {
    case trick_done() label trick @trick.take {
      for p : Player where takes(p) {
        tricks[p]' = tricks[p] + 1                               @trick.take
        leader' = p                                              @trick.lead
        turn' = p                                                @trick.lead
        for d : Card where on_table(d) { place[d]' = taken(p) }  @trick.take
      }
    } else label next { turn' = next(turn) }  @trick.turn
  }

  after speech go_round then { turn' = next(turn) }  @say.once

  end storm lost when exists(storm(c) and place[c] == table(leader) for c : Card) and led(swords)
    and count(on_table(c) for c : Card) == 1 score 0                                      @storm
  end everybody won when forall(tricks[p] > 0 for p : Player)
    score players + count(exists(held(c, p) for p : Player) for c : Card)                 @end.all @score
  end no_cards late lost when forall(not exists(held(c, p) for p : Player) for c : Card)  @end.cards

  score = count(tricks[p] > 0 for p : Player)  @score
  bands when not exists(tricks[p] == hand_size for p : Player) {
    0 "a storm" ;
    1..players - 1 "not all of us" ;
    players..players + size(Card) "all of us"
  }                                            @score.names

  view p : Player sees {
    turn, leader, to_speak, tricks[p]                                                      @trick.turn ;
    tricks[q] for q : Player                                                               @trick.take ;
    said[q] for q : Player where q != p                                                    @say.once ;
    shown[q, s] for q : Player, s : Suit                                                   @trick.follow ;
    place[c] for c : Card                                                                  @deal.hidden ;
    suit[c], rank[c] for c : Card where match place[c] { hand(q) : q == p ; else : true }  @deal.hidden ;
  }                                                                                        @deal.hidden

  invariant hands : forall(count(held(c, p) for c : Card) <= hand_size for p : Player)       @deal.all
  invariant same_hands :
    leading() implies forall(count(held(c, p) for c : Card) == count(held(c, q) for c : Card)
                             for p : Player, q : Player)                                     @trick.turn
  invariant tricks_are_cards :
    sum(tricks[p] for p : Player) * players == count(exists(place[c] == taken(p) for p : Player) for c : Card)  @trick.take
  invariant void_is_true :
    forall(many(p, s) == 0 for p : Player, s : Suit where shown[p, s] == void)               @trick.follow
  invariant somebody_ahead : max(tricks[p] for p : Player) >= min(tricks[p] for p : Player)  @trick.take
  step tricks_grow : forall(tricks[p]' >= tricks[p] for p : Player)                          @trick.take
  step leader_took : leader' == leader or tricks[leader']' > tricks[leader']                 @trick.lead
  step over_is_empty : ended(no_cards') implies to_speak' == 0                               @end.cards
  reachable all_have_one : ended(everybody)                                                  @end.all
  reachable blown_away : ended(storm) and score == 0                                         @storm
  unreachable nobody : ended(no_cards) and score == 0                                        @end.cards
  terminates by_cards decreasing [count(exists(held(c, p) for p : Player) for c : Card), to_speak]  @trick.lead
  deadlock_free always_a_card                                                                @trick.follow
  example even(n : 2..3) : n == players implies hand_size * n == size(Card)                  @deal.all

  interface cards {
    face = suit, rank
    letters = "coins o cups u swords w"
    play = action play(c)
    say = action say(what)
    silent = action say(nothing)
    first = first(Player)
    maximum = players + size(Card)
    title = "Tricks for all"
  }
}
