# The base game: what the five rulebooks share, and a ruling wherever they leave a question open.
game base {
  source "sources/clauses.toml"

  # ---- parts -----------------------------------------------------------------------------------
  param players : 2..5           @setup.players
  param red_tokens : 1..127 = 3  @parts.red
  param extra_blue : 0..8 = 0    @parts.blue

  sort Player = players                                               @setup.players
  enum Suit = red | yellow | green | blue | white                     @parts.colours @parts.multi @setup.aside
  range Rank = 1..5                                                   @fireworks.order
  cards Card(suit : Suit, rank : Rank) copies copies(suit, rank)      @parts.cards @setup.shuffle
  def copies(s : Suit, r : Rank) =
    if r == last(Rank) then 1 else if r == first(Rank) then 3 else 2  @parts.cards @advice.copies

  const blue_max = 8 + extra_blue                  @parts.blue
  const hand_size = if players <= 3 then 5 else 4  @setup.deal

  # ---- what the print leaves open --------------------------------------------------------------
  ruling empty_hint : {allowed, refused} = allowed
    "may a hint touch no card?"                                                @hint.empty
  ruling discard_at_full : {refused, allowed} = refused
    "may a card be discarded with all blue tokens available?"                  @discard.full
  ruling take_token : {must, may} = must
    "must a returned token be taken?"                                          @discard.gain @fireworks.bonus
  ruling loss_score : {zero, sum} = zero
    "what does a lost game score?"                                             @end.red.score
  ruling perfect_in_last_round : {stops, plays_on} = stops
    "does completing the last firework after the pile is empty end the game?"  @end.perfect
  ruling fit : {continues, literal} = continues
    "does a 2 fit on a 1, or do only beginning and completing count?"          @play.fit @play.misfit
  ruling draw_after_fit : {yes, no} = yes
    "is a card drawn after a play that fitted?"                                @play.draw
  ruling draw_on_end : {no, yes} = no
    "is a card drawn by the action that ends the game?"                        @end.red @end.perfect
  ruling stuck : {unruled, lost, skipped} = unruled
    "what happens to a player without a legal action?"                         @turn.one
  ruling red_limit : {all_given, third} = all_given
    "with fewer red tokens, when is the game lost?"                            @end.red
  ruling all_or_five : {all, five} = all
    "is a game perfect with all fireworks, or with five?"                      @end.perfect
  ruling hopeless : {plays_on, stops} = plays_on
    "does a game that can gain no more points go on?"                          @advice.dead

  # ---- the state -------------------------------------------------------------------------------
  union Place = pile | hand(Player) | fireworks | discards  @setup.deck @discard.pile
  union Clue = colour(Suit) | value(Rank)                   @hint.kind
  enum Told = untold | yes | no                             @hint.complete

  var place[Card] : Place         @setup.deal
  var drawn : 0..size(Card)       @setup.deck
  var turn : Player               @turn.next
  var blue_left : 0..blue_max     @parts.blue
  var red_spent : 0..red_tokens   @parts.red
  var turns_left : 0..players     @end.last
  record told[Card, Clue] : Told  @hint.complete

  actor turn

  start {
    place[c] = if index(c) < players * hand_size then hand(Player(index(c) / hand_size)) else pile  @setup.deal @setup.deck
    drawn = players * hand_size  @setup.deal
    turn = Player(0)             @setup.first
    blue_left = blue_max         @parts.blue
    red_spent = 0                @parts.red
    turns_left = players         @end.last
    told[c, about] = untold      @setup.hidden
  }

  # ---- words the rules use ---------------------------------------------------------------------
  def held(c : Card, p : Player) = place[c] == hand(p)                               @setup.hidden
  def in_play(c : Card) = place[c] != fireworks and place[c] != discards             @advice.pile
  def height(s : Suit) = count(place[c] == fireworks and suit[c] == s for c : Card)  @fireworks.one
  def fits(c : Card) =
    rank[c] == height(suit[c]) + 1
    and (fit == continues or rank[c] == first(Rank) or rank[c] == last(Rank))        @play.fit @fireworks.order
  def touches(c : Card, about : Clue) = match about {
    colour(s) : suit[c] == s
    value(r) : rank[c] == r
  }                                                                                  @hint.kind
  def complete(s : Suit) = height(s) == size(Rank)                                   @fireworks.bonus
  def perfect() =
    if all_or_five == all then forall(complete(s) for s : Suit)
    else count(complete(s) for s : Suit) >= min(5, size(Suit))                       @end.perfect
  def lost_score() = if loss_score == zero then 0 else score                         @end.red.score
  def has_turn(p : Player) =
    (index(p) - index(turn) + players) % players < turns_left                        @end.last
  def gone(s : Suit, r : Rank) =
    forall(place[c] == discards or exists(place[c] == hand(p) and not has_turn(p) for p : Player)
           for c : Card where suit[c] == s and rank[c] == r)                         @advice.dead
  def can_grow(s : Suit) =
    exists(r == height(s) + 1 and not gone(s, r) for r : Rank)                       @advice.dead

  # What can still be completed: a face is lost with its last copy, and nothing above it can be reached any more.
  def lost(s : Suit, r : Rank) =
    forall(place[c] == discards for c : Card where suit[c] == s and rank[c] == r)     @advice.copies
  def reach(s : Suit) =
    count(forall(not lost(s, below) for below : Rank where below <= r) for r : Rank)  @advice.copies @fireworks.order
  def reachable_max() = sum(reach(s) for s : Suit)                                    @advice.copies

  effect gain(n : 0..2) { blue_left' = min(blue_left + n, blue_max) }         @discard.gain @fireworks.bonus.lost
  effect draw(p : Player) {
    case drawn < size(Card) label card {
      place[Card(drawn)]' = hand(p)
      drawn' = drawn + 1
      reveal suit[Card(drawn)], rank[Card(drawn)] to q : Player where q != p  @setup.hidden
    }
  }                                                     @discard.draw @play.draw @end.last.nodraw
  effect throw_away(c : Card) { place[c]' = discards }  @discard.pile
  effect misfit(c : Card) {
    place[c]' = discards                                @play.misfit
    red_spent' = min(red_spent + 1, red_tokens)         @play.misfit
  }                                                     @play.misfit

  # ---- turns -----------------------------------------------------------------------------------
  action hint(p : Player, about : Clue) : move  @turn.one
    when p != turn label mate                   @hint.mate
    when blue_left > 0 label token              @hint.cost
    when empty_hint == allowed or exists(held(c, p) and touches(c, about) for c : Card) label empty  @hint.empty
  {
    blue_left' = blue_left - 1                              @hint.cost
    for c : Card where held(c, p) {
      told[c, about]' = if touches(c, about) then yes else no
    }                                                       @hint.complete
    reveal touches(c, about) for c : Card where held(c, p)  @hint.complete
  }

  action discard(c : Card, take : Bool) : move                          @turn.one
    when held(c, turn) label own                                        @discard.pile
    when blue_left < blue_max or discard_at_full == allowed label full  @discard.full
    when take or take_token == may label take                           @discard.gain
  {
    throw_away(c)                                                            @discard.pile
    case take label token { gain(1) @discard.gain }                          @discard.gain
    reveal suit[c], rank[c]                                                  @discard.pile
    case draw_on_end == yes label draw_at_once { draw(turn) @discard.draw }  @discard.draw
  }
  then {
    case draw_on_end == no label draw { draw(turn) @discard.draw }  @discard.draw
  }

  action play(c : Card, take : Bool) : move    @turn.one
    when held(c, turn) label own               @play.reveal
    when take or take_token == may label take  @fireworks.bonus
  {
    case fits(c) label fit @play.fit {
      place[c]' = fireworks                                                         @play.fit
      case take and rank[c] == last(Rank) label bonus { gain(1) @fireworks.bonus }  @fireworks.bonus
    } else label misfit @play.misfit {
      misfit(c)                                                                     @play.misfit
    }
    reveal suit[c], rank[c]  @play.reveal
    case draw_on_end == yes and (draw_after_fit == yes or not fits(c)) label draw_at_once { draw(turn) @play.draw }  @play.draw
  }
  then {
    case draw_on_end == no and (draw_after_fit == yes or place[c] == discards) label draw { draw(turn) @play.draw }  @play.draw
  }

  # Passed over: a turn in which nothing can be done, where the ruling says so.
  action pass() : move                 @turn.one
    when stuck == skipped label ruled  @turn.one
    when not able(turn) label unable   @turn.one
  { }
  def able(p : Player) = enabled(hint, discard, play, turn = p)  @turn.one

  after move countdown {
    case drawn == size(Card) label last_round { turns_left' = turns_left - 1 }
  }                                                 @end.last
  after move next_turn then { turn' = next(turn) }  @turn.next @setup.first

  # ---- ends and score --------------------------------------------------------------------------
  end strikes lost when red_spent == (if red_limit == all_given then red_tokens else 3)
    score lost_score()                                                                          @end.red @end.red.score
  end perfect won when perfect() and (perfect_in_last_round == stops or turns_left == players)  @end.perfect
  end last_round over when turns_left == 0                                                      @end.last
  end hopeless late over when hopeless == stops and not exists(can_grow(s) for s : Suit)        @advice.dead
  end stuck late lost
    when (stuck == lost and not able(turn)) or (stuck == skipped and not exists(able(p) for p : Player))
    score lost_score()                                                                          @turn.one

  # What lies on the table; a game that is lost may score something else.
  def points() = sum(height(s) for s : Suit)  @score.sum
  score = points()                            @score.sum

  const rated = true  @score.bands
  bands when rated {
    0..5 "dreadful: the crowd boos"
    6..10 "poor: hardly any applause"
    11..15 "fair: soon forgotten"
    16..20 "good: the crowd is pleased"
    21..24 "very good: long remembered"
    25 "legendary: nobody finds words"
  }                   @score.bands

  # ---- who sees what ---------------------------------------------------------------------------
  view p : Player sees {
    drawn, turn, blue_left, red_spent, turns_left ;
    place[c] for c : Card                                                         @advice.pile @advice.order ;
    suit[c], rank[c] for c : Card where place[c] != pile and place[c] != hand(p)  @setup.hidden @advice.pile ;
    told[c, about] for c : Card, about : Clue                                     @hint.complete
  }                                                                               @setup.hidden

  # ---- what must be true -----------------------------------------------------------------------
  invariant pile_is_undrawn : forall((place[c] == pile) == (index(c) >= drawn) for c : Card)       @setup.deck
  invariant hand_sizes : forall(count(held(c, p) for c : Card) <= hand_size for p : Player)        @setup.deal
  invariant no_countdown_before : drawn < size(Card) implies turns_left == players                 @end.last
  invariant hands_full :
    forall(ended() or not has_turn(p) or count(held(c, p) for c : Card) == hand_size for p : Player)  @discard.draw @play.draw
  invariant built_from_below :
    forall(place[c] == fireworks implies rank[c] <= height(suit[c]) for c : Card)                  @fireworks.order
  invariant heights : forall(height(s) <= size(Rank) for s : Suit)                                 @fireworks.order
  invariant face_once :
    forall(count(place[c] == fireworks and suit[c] == s and rank[c] == r for c : Card) <= 1
           for s : Suit, r : Rank)                                                                 @fireworks.order
  invariant score_bound : score <= size(Suit) * size(Rank)                                         @end.perfect
  step score_grows : points()' >= points()                                                         @score.sum
  invariant one_of_each :
    forall(count(place[c] == fireworks and suit[c] == s and rank[c] == r for c : Card) == (if r <= height(s) then 1 else 0)
           for s : Suit, r : Rank)                                                                 @fireworks.order
  invariant played_is_not_lost :
    forall(place[c] == fireworks implies not lost(suit[c], rank[c]) for c : Card)                  @advice.copies
  invariant height_within_reach : forall(height(s) <= reach(s) for s : Suit)                       @advice.copies
  invariant score_within_reach : points() <= reachable_max()                                       @advice.copies
  step reach_never_rises : forall(reach(s)' <= reach(s) for s : Suit)                              @advice.copies
  invariant all_or_some_lost :
    (reachable_max() == size(Suit) * size(Rank)) == forall(not lost(s, r) for s : Suit, r : Rank)  @advice.copies
  example deck_completes : forall(copies(s, r) >= 1 for s : Suit, r : Rank)                        @parts.cards @advice.copies
  unreachable perfect_but_lost : ended(strikes) and perfect()                                      @end.perfect @end.red
  reachable maximum : score == size(Suit) * size(Rank)                                             @end.perfect
  reveals what_a_hint_tells : hint(p, about) : touches(c, about) for c : Card where held(c, p)     @hint.complete
  invariant told_is_true :
    forall(told[c, about] == untold or (told[c, about] == yes) == touches(c, about) for c : Card, about : Clue)  @hint.complete

  # A deal that cannot be won: the ones of some colours lie at the bottom, and too few turns are left when they come up.
  const buried_suits = min(size(Suit), (players + 1) / 2)                                      @end.last
  const buried_cards = sum(copies(s, first(Rank)) for s : Suit where index(s) < buried_suits)  @end.last
  def buried() =
    draw_after_fit == yes
    and forall(rank[c] == first(Rank) and index(suit[c]) < buried_suits implies index(c) >= size(Card) - buried_cards
               for c : Card)                                                                   @end.last
  def buried_height() = sum(height(s) for s : Suit where index(s) < buried_suits)              @end.last
  invariant buried_until_drawn :
    buried() and drawn <= size(Card) - buried_cards implies buried_height() == 0               @end.last
  invariant buried_too_deep :
    buried() and not ended()
    implies buried_height() <= max(0, drawn - (size(Card) - buried_cards) - 1) + players - turns_left  @end.last
  unreachable buried_and_perfect : buried() and points() == size(Suit) * size(Rank)            @end.last @end.perfect

  terminates by_cards decreasing [count(in_play(c) for c : Card), turns_left, blue_left]      @end.last
  deadlock_free always_a_move                                                                 @turn.one
  example box : size(Card) == 10 * size(Suit)                                                 @parts.total
  example worked(a : 0..5, b : 0..5, c : 0..5, d : 0..5, e : 0..5) : a + b + c + d + e == 18  @score.example

  interface cards {
    face = suit, rank
    letters = "red r yellow y green g blue b white w multi m"
    play = action play(c, true)
    discard = action discard(c, true)
    hint = action hint(p, about)
    maximum = size(Suit) * size(Rank)
    within_reach = reachable_max()
    place = place
    pile = pile
    hand = hand
    fireworks = fireworks
    discards = discards
    drawn = drawn
    turn = turn
    blue = blue_left
    red = red_spent
    countdown = turns_left
    told = told
  }
}
