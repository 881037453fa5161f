"""Small games, each made to lead through one special path of the compiler. The names say which."""

from __future__ import annotations

CARDS = """
  enum Suit = red | blue
  range Rank = 1..5
  cards Card(suit : Suit, rank : Rank) copies 1
"""
TABLE = f"""{CARDS}
  sort Player = 3
  union Place = pile | hand(Player) | gone
  var place[Card] : Place
"""

GAMES: dict[str, str] = {
    # ---- kinds of maps -----------------------------------------------------------------------------
    "map_as_tuple": """
  sort P = 4
  var n[P] : 0..3
  start { n[p] = index(p) }
  action give(p : P, q : P) when p != q when n[p] > 0 when n[q] < 3 { n[p]' = n[p] - 1  n[q]' = n[q] + 1 }
  end even over when exists(n[p] == 3 for p : P) and n[P(0)] == 2
  score = max(n[p] for p : P) * 10 + min(n[p] for p : P)
""",
    "map_with_two_small_indices": """
  sort P = 3
  range R = -1..2
  var n[P, R] : 2..5
  start { n[p, r] = if r < 0 then 5 else 2 }
  action add(p : P, r : R) { n[p, r]' = if n[p, r] == 5 then 2 else n[p, r] + 1 }
  end row over when forall(n[P(1), r] > 2 for r : R)
  score = sum(n[p, r] * r for p : P, r : R)
""",
    "relation_with_three_values": f"""{CARDS}
  enum Mark = blank | cross | ring
  var mark[Card, Suit] : Mark
  var steps : 0..8
  start {{ mark[c, s] = blank  steps = 0 }}
  action paint(s : Suit, r : Rank) {{
    steps' = steps + 1
    for c : Card where suit[c] != s {{ mark[c, s]' = if rank[c] == r then cross else if rank[c] < r then ring else blank }}
  }}
  end done over when steps == 8 or count(mark[c, red] == ring for c : Card) == 4
  score = count(mark[c, s] == cross for c : Card, s : Suit)
""",
    "relation_written_twice_with_other_values": f"""{TABLE}
  record told[Card, Rank] : {{untold, yes, no}}
  var steps : 0..6
  start {{ told[c, r] = untold  place[c] = if index(c) < 6 then hand(Player(index(c) / 2)) else pile  steps = 0 }}
  action tell(p : Player, r : Rank, lie : Bool) {{ steps' = steps + 1
    for c : Card where place[c] == hand(p) {{ told[c, r]' = if rank[c] == r and not lie then yes else no }} }}
  action forget(c : Card, r : Rank) when place[c] == hand(Player(1)) {{ told[c, r]' = untold  steps' = steps + 1 }}
  end done over when steps == 6
  score = 0
  view p : Player sees {{ told[c, r] for c : Card, r : Rank where place[c] == hand(p) }}
""",
    "relation_written_once": f"""{TABLE}
  record told[Card, Suit] : {{untold, yes, no}}
  var steps : 0..6
  start {{ told[c, s] = untold  place[c] = if index(c) < 6 then hand(Player(index(c) / 2)) else pile  steps = 0 }}
  action tell(p : Player, s : Suit) {{ steps' = steps + 1
    for c : Card where place[c] == hand(p) {{ told[c, s]' = if suit[c] == s then yes else no }} }}
  end done over when steps == 6
  score = 0
  view p : Player sees {{ told[c, s] for c : Card, s : Suit ; exists(told[c, s] == yes for c : Card) for s : Suit }}
""",
    "relation_that_starts_at_another_value": f"""{CARDS}
  sort Player = 2
  record level[Card, Rank] : 0..2
  var steps : 0..5
  start {{ level[c, r] = 2  steps = 0 }}
  action tell(r : Rank) {{ steps' = steps + 1
    for c : Card where suit[c] == red {{ level[c, r]' = if rank[c] == r then 1 else 0 }} }}
  end done over when steps == 5
  score = 0
  view p : Player sees {{ level[c, r] for c : Card, r : Rank }}
""",
    "relation_between_cards": f"""{CARDS}
  sort Player = 2
  var over[Card, Card] : {{a, b, d}}
  var steps : 0..5
  start {{ over[x, y] = a  steps = 0 }}
  action lay(i : Card) {{ steps' = steps + 1  for c : Card where index(c) < 4 {{ over[c, i]' = if suit[c] == red then b else a }} }}
  action same(i : Card) {{ steps' = steps + 1  over[i, i]' = d }}
  end done over when steps == 5 or exists(over[c, c] == d and over[Card(0), c] == b for c : Card)
  score = count(over[c, c] == d for c : Card) + count(over[x, y] == b for x : Card, y : Card)
  view p : Player sees {{ over[c, c] for c : Card }}
""",
    "relation_at_an_attribute": f"""{CARDS}
  sort Player = 2
  var seen[Card, Suit] : Bool
  var steps : 0..5
  start {{ seen[c, s] = false  steps = 0 }}
  action look(n : 0..3) {{ steps' = steps + 1  for c : Card where index(c) < 4 + n {{ seen[c, suit[c]]' = true }} }}
  end done over when steps == 5
  score = count(seen[c, s] for c : Card, s : Suit)
  view p : Player sees {{ seen[c, s] for c : Card, s : Suit }}
""",
    "bool_map_over_cards": f"""{CARDS}
  var up[Card] : Bool
  var steps : 0..9
  start {{ up[c] = index(c) == 4  steps = 0 }}
  action flip(c : Card) when not up[c] {{ up[c]' = true  steps' = steps + 1 }}
  action turn_all() when exists(up[c] and suit[c] == red for c : Card) {{
    for c : Card where up[c] or rank[c] == 2 {{ up[c]' = not up[c] }}  steps' = steps + 1
  }}
  end done over when steps == 9 or forall(up[c] implies suit[c] == blue for c : Card)
  score = count(up[c] for c : Card)
""",
    "more_than_64_values": f"""{CARDS}
  var wide[Card] : 0..99
  start {{ wide[c] = index(c) }}
  action double(c : Card) when wide[c] < 50 {{ wide[c]' = wide[c] * 2 }}
  action level(c : Card, d : Card) when wide[c] > wide[d] {{ wide[c]' = wide[d]  wide[d]' = wide[c] }}
  end high over when exists(wide[c] > 60 for c : Card)
  score = sum(wide[c] for c : Card)
""",
    "exactly_64_values": f"""{CARDS}
  var wide[Card] : 1..64
  var steps : 0..6
  start {{ wide[c] = 1  steps = 0 }}
  action raise(c : Card, n : 1..64) when n > 60 or n == 2 when wide[c] == 1 {{ wide[c]' = n  steps' = steps + 1 }}
  end done over when steps == 6
  score = sum(wide[c] for c : Card)
""",
    "one_value": """
  sort P = 1
  enum E = only
  var turn : P
  var e[P] : E
  var n : 0..4
  actor turn
  start { turn = P(0)  e[p] = only  n = 0 }
  action go(p : P, x : E) when e[p] == x { n' = n + max(index(q) + 1 for q : P)  turn' = next(turn) }
  end done over when n == 4
  score = min(n for q : P)
""",
    # ---- simultaneity ------------------------------------------------------------------------------
    "swap": """
  var x : 0..9
  var y : 0..9
  start { x = 2  y = 7 }
  action swap() { x' = y  y' = x }
  action shift() when x < 9 { x' = y  y' = min(x + 1, 9) }
  end done over when x == y or x + y > 16
  score = x * 10 + y
""",
    "swap_in_a_tuple": """
  sort P = 3
  var n[P] : 0..9
  var steps : 0..6
  start { n[p] = index(p) * 2  steps = 0 }
  action rotate() { for p : P { n[p]' = n[next(p)] }  steps' = steps + 1 }
  action sums() { for p : P { n[p]' = (n[p] + n[next(p)]) % 10 }  steps' = steps + 1 }
  action two() { n[P(0)]' = n[P(1)]  n[P(1)]' = n[P(0)]  steps' = steps + 1 }
  end done over when steps == 6
  score = n[P(0)] * 100 + n[P(1)] * 10 + n[P(2)]
""",
    "swap_of_cards": f"""{TABLE}
  var left : 0..4
  start {{ place[c] = if index(c) < 3 then hand(Player(index(c))) else pile  left = 4 }}
  action pass_on() {{ left' = left - 1
    for c : Card where place[c] != pile {{ place[c]' = if place[c] == hand(Player(0)) and left > 1 then gone
      else if exists(place[d] == hand(Player(0)) for d : Card) then hand(Player(2)) else pile }} }}
  end done over when left == 0
  score = count(place[c] == pile for c : Card)
""",
    "conditions_read_the_state_before": f"""{TABLE}
  var n : 0..8
  start {{ place[c] = pile  n = 0 }}
  action go(c : Card) when place[c] == pile {{
    n' = n + 1
    place[c]' = if n % 2 == 0 then gone else hand(Player(n % 3))
    case n > 2 and c != Card(n) {{ place[Card(n)]' = hand(Player(1)) }}
  }}
  end done over when n == 8 or (n > 3 and place[Card(n)] == gone)
  score = n
""",
    "index_read_after_its_write": f"""{CARDS}
  sort Player = 2
  record seen[Card, Rank] : Bool
  var n : 1..5
  start {{ seen[c, r] = false  n = 1 }}
  action go(k : 0..3) {{ n' = n + 1  for c : Card where index(c) < 4 + k {{ seen[c, n]' = true }} }}
  end done over when n == 5
  score = 0
  view p : Player sees {{ seen[c, r] for c : Card, r : Rank }}
""",
    # ---- cards that move ---------------------------------------------------------------------------
    "cards_from_elsewhere": f"""{TABLE}
  var steps : 0..8
  start {{ place[c] = if index(c) < 5 then hand(Player(0)) else gone  steps = 0 }}
  action back(c : Card) when place[c] == hand(Player(0)) {{
    place[c]' = pile  place[Card(9 - steps)]' = hand(Player(1))  steps' = steps + 1
  }}
  end done over when steps == 4
  score = count(place[c] == hand(Player(1)) for c : Card)
""",
    "cards_from_elsewhere_with_a_free_parameter": f"""{TABLE}
  var x : 0..20
  var steps : 0..3
  start {{ place[c] = if index(c) < 5 then hand(Player(0)) else gone  x = 0  steps = 0 }}
  action put(n : 3..14, c : Card) when place[c] == hand(Player(0)) when x != n {{
    place[c]' = pile  x' = n  place[Card(9 - steps)]' = hand(Player(1))  steps' = steps + 1
  }}
  action set(m : 3..14, k : 1..10) {{ place[Card(8)]' = pile  x' = m + k - 4 - (k - 4)  steps' = steps + 1 }}
  end done over when steps == 3
  score = x
""",
    "a_smaller_card_comes_first": f"""{TABLE}
  var left : 0..6
  var turn : Player
  actor turn
  start {{ place[c] = if index(c) >= 4 then hand(Player((index(c) - 4) / 2)) else pile  left = 4  turn = Player(0) }}
  action swap(c : Card) when place[c] == hand(turn) {{
    case left > 0 {{ place[Card(left - 1)]' = hand(turn)  left' = left - 1 }}
    place[c]' = gone
  }} then {{ turn' = next(turn) }}
  end done over when left == 0 and turn == Player(2)
  score = count(place[c] == gone for c : Card)
""",
    "many_cards_come_at_once": f"""{TABLE}
  var steps : 0..4
  start {{ place[c] = if index(c) < 3 then hand(Player(0)) else pile  steps = 0 }}
  action all(c : Card) when place[c] == hand(Player(0)) {{ place[c]' = gone  steps' = steps + 1 }}
  then {{ for d : Card where place[d] == pile and index(d) < 4 + steps {{ place[d]' = hand(Player(0)) }} }}
  end done over when steps == 4
  score = count(place[c] == hand(Player(0)) for c : Card)
""",
    "cards_chosen_from_anywhere": f"""{TABLE}
  var steps : 0..4
  start {{ place[c] = if index(c) < 6 then hand(Player(index(c) / 2)) else pile  steps = 0 }}
  action move(c : Card, to : Place) when place[c] != to {{ place[c]' = to  steps' = steps + 1 }}
  action sweep(s : Suit) {{ steps' = steps + 1
    for d : Card where suit[d] == s and place[d] != pile {{ place[d]' = if rank[d] > steps then gone else hand(Player(1)) }} }}
  action hold(c : Card) when place[c] == hand(Player(1)) {{ place[c]' = gone  steps' = steps + 1 }}
  end done over when steps == 4
  score = count(place[c] == hand(Player(1)) for c : Card)
""",
    "cards_known_to_be_elsewhere": f"""{TABLE}
  var steps : 0..4
  start {{ place[c] = if index(c) < 6 then hand(Player(index(c) / 3)) else pile  steps = 0 }}
  action put(c : Card) when place[c] == hand(Player(0)) {{
    place[c]' = gone  steps' = steps + 1
    case c != Card(steps) and place[Card(steps)] == hand(Player(0)) {{ place[Card(steps)]' = hand(Player(1)) }}
  }}
  action hold(c : Card) when place[c] == hand(Player(1)) {{
    place[c]' = pile  steps' = steps + 1
    case c != Card(3) and place[Card(3)] == hand(Player(1)) {{ place[Card(3)]' = hand(Player(2)) }}
  }}
  end done over when steps == 4
  score = count(place[c] == hand(Player(1)) for c : Card)
""",
    "cards_chosen_from_the_first_value": f"""{TABLE}
  var steps : 0..5
  start {{ place[c] = if index(c) < 5 then pile else gone  steps = 0 }}
  action take(c : Card) when place[c] == pile when c != Card(3) {{
    place[c]' = hand(Player(0))  place[Card(3)]' = gone  steps' = steps + 1
  }}
  action keep(c : Card) when place[c] == pile {{
    place[c]' = hand(Player(1))  steps' = steps + 1
    case steps == 1 and c != Card(3) {{ place[Card(3)]' = pile }}
  }}
  end done over when steps == 5
  score = count(place[c] == pile for c : Card)
""",
    "usual_turns": f"""{TABLE}
  var turn : Player
  var drawn : 0..size(Card)
  var left : 0..3
  actor turn
  start {{ place[c] = if index(c) < 6 then hand(Player(index(c) / 2)) else pile  turn = Player(0)  drawn = 6  left = 3 }}
  action drop(c : Card) when place[c] == hand(turn) {{ place[c]' = gone  case drawn == size(Card) {{ left' = left - 1 }} }}
  then {{ case drawn < size(Card) {{ place[Card(drawn)]' = hand(turn)  drawn' = drawn + 1 }}  turn' = next(turn) }}
  action show(p : Player, r : Rank)
    when p != turn
    when exists(place[c] == hand(p) and rank[c] == r for c : Card)
    when drawn < size(Card)
  {{ }} then {{ turn' = next(turn) }}
  end done over when left == 0
  end high won when count(place[c] == gone and suit[c] == red for c : Card) == 3
  score = sum(rank[c] for c : Card where place[c] == gone)
""",
    "options_of_members": f"""{TABLE}
  var turn : Player
  var drawn : 0..size(Card)
  actor turn
  start {{ place[c] = if index(c) < 6 then hand(Player(index(c) / 2)) else pile  turn = Player(0)  drawn = 6 }}
  action ask(n : 2..12) when exists(place[c] == hand(next(turn)) and rank[c] * 2 == n for c : Card) {{ }}
  then {{ turn' = next(turn) }}
  action drop(c : Card) when place[c] == hand(turn) {{ place[c]' = gone }}
  then {{ case drawn < size(Card) {{ place[Card(drawn)]' = hand(turn)  drawn' = drawn + 1 }}  turn' = next(turn) }}
  action give(c : Card, p : Player) when place[c] == hand(turn) when p != turn {{ place[c]' = hand(p) }}
  then {{ turn' = next(turn) }}
  end done over when forall(place[c] == gone or index(c) > 7 for c : Card)
  score = count(place[c] == gone for c : Card)
""",
    "two_cards_as_parameters": f"""{TABLE}
  var steps : 0..5
  start {{ place[c] = if index(c) < 6 then hand(Player(index(c) / 3)) else pile  steps = 0 }}
  action trade(c : Card, d : Card)
    when place[c] == hand(Player(0))
    when place[d] == hand(Player(1)) and suit[c] != suit[d]
  {{ place[c]' = hand(Player(1))  place[d]' = hand(Player(0))  steps' = steps + 1 }}
  action discard_two(c : Card, d : Card) when place[c] == hand(Player(0)) when place[d] == hand(Player(0)) when c != d
  {{ place[c]' = gone  place[d]' = gone  steps' = steps + 1 }}
  end done over when steps == 5
  score = sum(rank[c] for c : Card where place[c] == hand(Player(0)))
""",
    "a_free_parameter_besides_a_card": f"""{TABLE}
  union Clue = of(Suit) | at(Rank) | both(Suit, Rank)
  var said : Clue
  var turn : Player
  actor turn
  start {{ place[c] = if index(c) < 9 then hand(Player(index(c) / 3)) else pile  said = of(red)  turn = Player(0) }}
  action name(c : Card, say : Clue)
    when place[c] == hand(turn)
    when say != said and match say {{ of(s) : suit[c] == s ; at(r) : rank[c] == r ; both(s, r) : suit[c] == s and rank[c] == r }}
  {{ place[c]' = gone  said' = say }} then {{ turn' = next(turn) }}
  end done over when forall(place[c] != hand(Player(2)) for c : Card)
  score = match said {{ of(s) : index(s) ; at(r) : r ; both(s, r) : index(s) * 10 + r }}
""",
    "guards_that_filter_cards": f"""{TABLE}
  var turn : Player
  var top : 0..5
  actor turn
  start {{ place[c] = if index(c) < 9 then hand(Player(index(c) % 3)) else pile  turn = Player(0)  top = 0 }}
  action beat(c : Card) when place[c] == hand(turn) when rank[c] > top or suit[c] == red {{ place[c]' = gone  top' = rank[c] }}
  then {{ turn' = next(turn) }}
  action skip() when not exists(place[c] == hand(turn) and (rank[c] > top or suit[c] == red) for c : Card) {{ top' = 0 }}
  then {{ turn' = next(turn) }}
  end done over when forall(place[c] != hand(turn) for c : Card)
  score = count(place[c] == gone for c : Card)
""",
    "guards_about_one_card_that_exclude_each_other": f"""{TABLE}
  var steps : 0..3
  start {{ place[c] = if index(c) < 4 then hand(Player(0)) else pile  steps = 0 }}
  action never(c : Card, p : Player) when place[c] == hand(p) when place[c] == pile or p != Player(1) {{ steps' = steps + 1 }}
  action not_both(c : Card) when place[c] == hand(Player(0)) when place[c] == pile {{ steps' = steps + 1 }}
  end done over when steps == 3
  score = 0
""",
    # ---- actors ------------------------------------------------------------------------------------
    "no_actor": f"""{TABLE}
  var steps : 0..5
  start {{ place[c] = if index(c) < 4 then hand(Player(index(c) % 3)) else pile  steps = 0 }}
  action drop(c : Card, p : Player) when place[c] == hand(p) {{ place[c]' = gone  steps' = steps + 1 }}
  then {{ place[Card(4 + steps)]' = hand(p) }}
  end done over when steps == 5
  score = 0
""",
    "actor_changed_in_the_first_part": f"""{TABLE}
  var turn : Player
  var steps : 0..8
  actor turn
  start {{ place[c] = if index(c) < 6 then hand(Player(index(c) / 2)) else pile  turn = Player(0)  steps = 0 }}
  action drop(c : Card) when place[c] == hand(turn) {{ place[c]' = gone  turn' = next(turn)  steps' = steps + 1 }}
  then {{ case place[Card(6)] == pile {{ place[Card(6)]' = hand(turn) }}  case index(turn) == 2 {{ turn' = Player(0) }} }}
  action back() {{ case steps < 4 {{ turn' = Player((index(turn) + 2) % 3) }}  steps' = steps + 1 }}
  then {{ case place[Card(7)] == pile {{ place[Card(7)]' = hand(turn) }} }}
  end done over when steps == 8
  score = index(turn)
""",
    "an_actor_who_can_do_nothing": """
  sort P = 3
  var turn : P
  var n : 0..5
  actor turn
  start { turn = P(0)  n = 0 }
  action go() when turn != P(1) { n' = n + 1  turn' = next(turn) }
  action stay() when turn == P(0) { n' = n + 1 }
  end done over when n == 5
  score = n
""",
    "cards_that_only_some_actors_must_hold": f"""{TABLE}
  var turn : Player
  var steps : 0..4
  actor turn
  start {{ place[c] = if index(c) < 5 then pile else gone  turn = Player(0)  steps = 0 }}
  action take(n : 1..9, c : Card) when turn == Player(0) or place[c] == pile {{
    case place[c] == pile {{ place[c]' = hand(Player(n % 3)) }}  steps' = steps + 1
  }} then {{ turn' = next(turn) }}
  end done over when steps == 4
  score = count(place[c] == pile for c : Card)
""",
    "nine_players": f"""{CARDS}
  sort Player = 9
  union Place = pile | hand(Player) | gone
  enum Seat = out | in
  var place[Card] : Place
  var seat[Player] : Seat
  var turn : Player
  var steps : 0..20
  actor turn
  start {{ place[c] = if index(c) < 9 then hand(Player(index(c))) else pile  seat[p] = in  turn = Player(0)  steps = 0 }}
  action drop(c : Card) when place[c] == hand(turn) {{ place[c]' = gone  seat[turn]' = out  steps' = steps + 1 }}
  then {{ turn' = next(turn) }}
  action see(p : Player) when exists(seat[q] == out and q != p for q : Player) when p != turn {{ steps' = steps + 1 }}
  then {{ turn' = next(turn) }}
  end done over when count(seat[p] == in for p : Player) < 6 or steps == 20
  score = count(seat[p] == out for p : Player)
  view p : Player sees {{ place[c] for c : Card where place[c] != hand(p) ; seat[q] for q : Player where q != p }}
""",
    "no_cards": """
  sort P = 2
  var sticks : 0..9
  var turn : P
  actor turn
  start { sticks = 9  turn = P(0) }
  action take(n : 1..3) when n <= sticks { sticks' = sticks - n } then { turn' = next(turn) }
  end nothing lost when sticks == 0
  score = index(turn)
""",
    # ---- ends and starts ---------------------------------------------------------------------------
    "late_ends": """
  var x : 0..9
  var y : 0..9
  start { x = 0  y = 0 }
  action a() { x' = x + 1 } then { y' = y + 1 }
  action b() { x' = x + 2 } then { y' = x }
  action c() { y' = y + 1 }
  end early over when x == 3 and y < 3
  end after late won when y == 2 score 100 + x
  end first over when x >= 6 score 200
  end last late lost when x + y > 7 score 300
  end stop over when y == 9
  score = x * 10 + y
""",
    "ends_within_cases": """
  var x : 0..20
  var y : 0..20
  var n : 0..20
  start { x = 4  y = 7  n = 0 }
  action a(up : Bool) {
    case up { x' = x + 2 } else { n' = n + 1 }
    case y < 9 { y' = y + 1 }
  }
  action e() { case n < 8 { case x == 4 { n' = n + 2 } else { y' = y + 1 } } }
  action b() { case n < 2 { x' = x + 1 }  n' = n + 1  case y < 15 { y' = y + 3 } }
  action c() { case y > 3 { y' = y - 1 } } then { case x > 2 { x' = x - 1  n' = n + 1 } }
  action d() { case x < 5 { x' = y  y' = x } }
  action f() { y' = max(min(y + 2, 11), n) }
  action g() { case n < 5 { x' = x + 2 }  case y < 9 { y' = y + 1 } }
  end late_sum late over when x + n > 12 score 5
  end far won when x == 8
  end high over when y == 9 score 7
  end both over when x > 12 and y > 12
  end many over when n >= 9
  score = x + y
""",
    "ends_by_cards_from_elsewhere": f"""{TABLE}
  var steps : 0..8
  start {{ place[c] = if index(c) < 5 then hand(Player(0)) else if index(c) < 8 then gone else pile  steps = 0 }}
  action back(c : Card) when place[c] == hand(Player(0)) {{ place[c]' = hand(Player(2))  steps' = steps + 1 }}
    then {{ place[Card(9 - steps)]' = hand(Player(1)) }}
  end fewer over when count(place[c] == gone for c : Card) == 2
  end done over when steps == 5
  score = count(place[c] == hand(Player(1)) for c : Card)
""",
    "ends_at_the_start": """
  var x : 0..3
  start { x = 2 }
  action a() { x' = x + 1 }
  end never over when x == 3
  end at_once late won when x == 2 score 9
  score = x
""",
    "starts_by_the_deal": f"""{TABLE}
  var lead : Suit
  var up[Card] : Bool
  var steps : 0..5
  start {{ place[c] = if rank[c] == 1 then gone else if suit[c] == red and index(c) < 6 then hand(Player(0)) else pile
           lead = suit[Card(0)]  up[c] = suit[c] == suit[Card(0)]  steps = 0 }}
  action follow(c : Card) when place[c] == hand(Player(0)) when suit[c] == lead or up[c] {{ place[c]' = gone  steps' = steps + 1 }}
  action other() {{ lead' = if lead == red then blue else red  steps' = steps + 1 }}
  end done over when steps == 5
  score = sum(rank[c] for c : Card where place[c] == gone)
""",
    # ---- expressions -------------------------------------------------------------------------------
    "quantifiers_nested_over_cards": f"""{TABLE}
  var steps : 0..6
  start {{ place[c] = if index(c) < 6 then hand(Player(index(c) % 3)) else pile  steps = 0 }}
  def twin(c : Card) = exists(d != c and rank[d] == rank[c] and place[d] == place[c] for d : Card)
  action drop(c : Card) when place[c] == hand(Player(0)) or twin(c) when place[c] != gone {{ place[c]' = gone  steps' = steps + 1 }}
  action rest() when forall(exists(place[d] == place[c] and suit[d] != suit[c] for d : Card) for c : Card where place[c] != pile)
  {{ steps' = steps + 1 }}
  end done over when steps == 6
  score = count(twin(c) for c : Card)
        + count(exists(index(d) > index(c) and rank[d] < rank[c] and forall(e == d or suit[e] == suit[d] for e : Card
                where index(e) > index(d)) for d : Card) for c : Card)
""",
    "quantifiers_nested_deeply": f"""{CARDS}
  var up[Card] : Bool
  var n : 0..3
  start {{ up[c] = false  n = 0 }}
  action lift(c : Card) when not up[c] {{ up[c]' = true  n' = n + 1 }}
  end done over when n == 3
  score = count(exists(exists(exists(up[a] and up[b] and a != b and rank[a] + rank[b] == rank[d] and suit[e] == suit[d]
          for a : Card) for b : Card) for d : Card) for e : Card)
""",
    "sums_and_extrema_over_cards": f"""{TABLE}
  var steps : 0..6
  start {{ place[c] = if index(c) < 6 then hand(Player(index(c) % 3)) else pile  steps = 0 }}
  action drop(c : Card)
    when place[c] == hand(Player(steps % 3))
    when rank[c] == max(if place[d] == place[c] then rank[d] else 0 for d : Card)
  {{ place[c]' = gone  steps' = steps + 1 }}
  action skip() when min(if place[d] == hand(Player(0)) then rank[d] else 9 for d : Card) > 1 {{ steps' = steps + 1 }}
  action draw() when exists(place[c] == pile for c : Card) {{ place[Card(6 + steps % 4)]' = hand(Player(steps % 3))  steps' = steps + 1 }}
  end done over when steps == 6 or sum(rank[c] for c : Card where place[c] == gone) > 12
  score = max(sum(rank[c] for c : Card where place[c] == hand(p)) for p : Player) - min(rank[c] - 3 for c : Card)
""",
    "unions_with_two_fields": f"""{TABLE}
  union Bid = pass_on | of(Suit, Rank) | swap(Player, Player)
  var bid : Bid
  var steps : 0..6
  start {{ place[c] = if index(c) < 6 then hand(Player(index(c) % 3)) else pile  bid = pass_on  steps = 0 }}
  def value(b : Bid) = match b {{ of(s, r) : r * 2 + index(s) ; swap(p, q) : 20 + index(p) * 3 + index(q) ; pass_on : 0 }}
  action say(b : Bid) when value(b) > value(bid) and match b {{ swap(p, q) : p != q ; else : true }} {{
    bid' = b  steps' = steps + 1
    for c : Card where place[c] != pile {{ place[c]' = match b {{ swap(p, q) : if place[c] == hand(p) then hand(q)
      else if place[c] == hand(q) then hand(p) else place[c] ; of(s, r) : if suit[c] == s and rank[c] == r then gone else place[c]
      pass_on : place[c] }} }}
  }}
  end done over when steps == 6 or exists(match bid {{ of(s, r) : suit[c] == s and rank[c] > r ; swap(p, q) : place[c] == hand(q)
    pass_on : false }} for c : Card where index(c) > 6)
  score = value(bid)
""",
    "fields_that_are_not_there": f"""{TABLE}
  union Who = some(Player) | none
  var who : Who
  var steps : 0..5
  start {{ place[c] = if index(c) < 6 then hand(Player(index(c) / 2)) else pile  who = none  steps = 0 }}
  action set(p : Player) {{ who' = some(p)  steps' = steps + 1 }}
  action clear() when exists(match who {{ none : true ; some(p) : place[c] == hand(p) }} for c : Card where suit[c] == red)
  {{ who' = none  steps' = steps + 1 }}
  end done over when steps == 5
  score = count(match who {{ none : true ; some(p) : place[c] == hand(p) }} for c : Card)
""",
    "numbers_compared_outside_their_bounds": f"""{CARDS}
  sort P = 7
  var lev[Card] : 1..3
  var x : 0..6
  start {{ lev[c] = 1 + index(c) % 3  x = 0 }}
  action up() {{ x' = x + 1 }}
  action drop(c : Card, n : 0..6) when lev[c] == n {{ lev[c]' = 1 + n % 3  x' = x + 1 }}
  end done over when x == 6
  score = count(lev[c] == x for c : Card) + 10 * count(P(rank[c]) == P(0) for c : Card)
        + 100 * count(P(rank[c]) == P(6) for c : Card) + 1000 * count(P(lev[c]) == P(5) for c : Card)
""",
    "choices_by_number_of_card": f"""{TABLE}
  var n : 0..4
  start {{ place[c] = if index(c) < 5 then pile else gone  n = 0 }}
  action take(m : 0..11) when exists(place[c] == pile and index(c) == m for c : Card) {{ place[Card(n)]' = gone  n' = n + 1 }}
  end done over when n == 4
  score = n
""",
    "many_conditions_on_one_hand": f"""{TABLE}
  var n : 0..3
  var most[Rank] : 0..5
  start {{ place[c] = if index(c) < 7 then hand(Player(0)) else pile  n = 0  most[r] = r }}
  action go(c : Card, p : Player, r : Rank) when place[c] == hand(Player(0)) when most[r] > index(p) + n {{ place[c]' = gone  n' = n + 1 }}
  end done over when n == 3
  score = n
""",
    "a_long_match": "\n  enum E = "
    + " | ".join(f"e{i}" for i in range(250))
    + """
  var x : E
  var n : 0..249
  start { x = e0  n = 0 }
  action set(e : E) when n < 249 { x' = e  n' = match e { """
    + " ; ".join(f"e{i} : {i}" for i in range(250))
    + """ } }
  end done over when n > 100
  score = n
""",
    "faults_that_are_not_reached": f"""{TABLE}
  var drawn : 0..size(Card)
  start {{ place[c] = if index(c) < 8 then hand(Player(0)) else pile  drawn = 8 }}
  action look() when exists(place[c] == pile and suit[c] == suit[Card(drawn)] for c : Card) {{ place[Card(drawn)]' = gone  drawn' = drawn + 1 }}
  action pass_on(p : Player, c : Card) when rank[c] <= 3 and p == Player(rank[c] - 1) when place[c] == hand(Player(0))
  {{ place[c]' = gone }}
  action draw(c : Card) when place[c] == hand(Player(0)) when drawn < size(Card) and rank[Card(drawn)] >= rank[c] {{
    place[c]' = gone
  }} then {{ case drawn < size(Card) {{ place[Card(drawn)]' = hand(Player(0))  drawn' = drawn + 1 }} }}
  end done over when forall(place[c] == gone for c : Card)
  score = count(drawn < size(Card) and suit[c] == suit[Card(drawn)] for c : Card)
""",
}

# Games with a place where the rules have no meaning: what the interpreter and the executor must both call a fault.
FAULTS: dict[str, str] = {
    "scalar_written_twice_in_a_loop": """
  sort P = 3
  var x : 0..9
  var f[P] : Bool
  start { x = 0  f[p] = false }
  action set(p : P) { f[p]' = true }
  action go() { for p : P where f[p] { x' = index(p) + 1 } }
  end done over when x == 3
  score = x
""",
    "tuple_written_twice": """
  sort P = 3
  var x[P] : 0..9
  start { x[p] = 0 }
  action go(p : P, q : P) { x[p]' = 1  x[q]' = 2 }
  end done over when forall(x[p] > 0 for p : P)
  score = 0
""",
    "masks_written_twice": f"""{TABLE}
  var turn : Player
  actor turn
  start {{ place[c] = pile  turn = Player(0) }}
  action go(c : Card, d : Card) when place[c] == pile {{ place[c]' = gone  place[d]' = hand(turn) }} then {{ turn' = next(turn) }}
  action mine() {{ place[Card(index(turn))]' = gone  place[Card(1)]' = gone }} then {{ turn' = next(turn) }}
  end done over when count(place[c] == pile for c : Card) < 5
  score = 0
""",
    "masks_written_twice_in_a_loop": f"""{TABLE}
  start {{ place[c] = pile }}
  action go(n : 1..5) {{ for c : Card where index(c) * n % 4 == 0 {{ place[Card(index(c) / 2)]' = gone }} }}
  end done over when exists(place[c] == gone for c : Card)
  score = 0
""",
    "relation_written_twice": f"""{CARDS}
  var seen[Card, Suit] : Bool
  start {{ seen[c, s] = false }}
  action go(r : Rank, s : Suit, t : Suit) {{
    for c : Card where rank[c] == r {{ seen[c, s]' = true }}
    for c : Card where rank[c] < 3 {{ seen[c, t]' = true }}
  }}
  action one(c : Card, d : Card) {{ seen[c, red]' = true  seen[d, red]' = false }}
  end done over when forall(seen[c, red] for c : Card)
  score = 0
""",
    "scalar_leaves_its_bounds": """
  var x : 0..3
  var y : -1..1
  start { x = 1  y = 0 }
  action up() { x' = x + 1 }
  action down() { y' = y - x }
  action mixed() when x < 3 { x' = x + 1  y' = min(y + x, 1) }
  end done over when y == 1
  score = x
""",
    "tuple_leaves_its_bounds": """
  sort P = 3
  var x[P] : 1..3
  start { x[p] = 2 }
  action up(p : P) { x[p]' = x[p] + 1 }
  action down(p : P) { x[next(p)]' = x[p] - x[next(p)] + 1 }
  end done over when forall(x[p] == 1 for p : P)
  score = 0
""",
    "masks_leave_their_bounds": f"""{CARDS}
  var lev[Card] : 0..2
  start {{ lev[c] = 0 }}
  action up(c : Card) {{ lev[c]' = lev[c] + 1 }}
  action down(c : Card) when lev[c] == 0 {{ lev[c]' = lev[c] - rank[c] + 2 }}
  action far(c : Card) {{ lev[c]' = if suit[c] == red then 5 else 2 }}
  end done over when count(lev[c] == 2 for c : Card) == 3
  score = 0
""",
    "relation_leaves_its_bounds": f"""{CARDS}
  var lev[Card, Suit] : 0..2
  start {{ lev[c, s] = 0 }}
  action up(c : Card, s : Suit) {{ lev[c, s]' = lev[c, s] + 1 }}
  action far(r : Rank, s : Suit) {{ for c : Card where rank[c] == r {{ lev[c, s]' = if suit[c] == red and r > 2 then 4 else 1 }} }}
  end done over when count(lev[c, red] == 2 for c : Card) == 3
  score = 0
""",
    "no_such_card": f"""{TABLE}
  var n : 0..12
  start {{ place[c] = pile  n = 7 }}
  action take() {{ place[Card(n)]' = gone  n' = n + 1 }}
  end done over when n == 12
  score = 0
""",
    "no_such_card_to_look_at": f"""{TABLE}
  var n : -2..12
  start {{ place[c] = pile  n = 7 }}
  action up() when place[Card(n)] == pile or n == 12 {{ n' = n + 1 }}
  action down(c : Card) when suit[c] != suit[Card(n)] {{ n' = n - 4 }}
  end done over when n == 12
  score = 0
""",
    "index_outside": f"""{CARDS}
  var n[Rank] : 0..3
  var m[Card, Rank] : 0..3
  var x : 0..9
  start {{ n[r] = 0  m[c, r] = 0  x = 4 }}
  action up() {{ x' = x + 1 }}
  action down() when x > 0 {{ x' = x - 1 }}
  action write() {{ n[x]' = 1 }}
  action read(c : Card) when m[c, x] == 0 {{ m[c, 1]' = 1 }}
  action mark(c : Card) {{ m[c, x]' = 2 }}
  end done over when x == 9
  score = 0
""",
    "field_outside": """
  range R = 1..5
  union U = none | some(R) | all
  var u : U
  var x : 0..8
  start { u = none  x = 4 }
  action up() { x' = x + 1 }
  action set() { u' = some(x) }
  end done over when x == 8
  score = match u { none : 0 ; some(r) : r ; all : 7 }
""",
}


def text_of(name: str) -> str:
    """The whole file of a game."""
    return f"game {name} {{\n{(GAMES | FAULTS)[name]}}}\n"
