"""Games made at random: every kind of type, map and statement of the language, in combinations nobody would write."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

HEAD = """game made {
  enum Suit = red | blue | green
  range Rank = 1..4
  cards Card(suit : Suit, rank : Rank) copies 1
  sort Player = %(players)d
  union Place = pile | hand(Player) | table(Suit, Rank) | gone
  union Tip = none | both(Player, Rank) | one(Suit)
  enum Mark = blank | cross | ring
  var turn : Player
  var small : 0..5
  var odd : -2..3
  var flag : Bool
  var tip : Tip
  var place[Card] : Place
  var lev[Card] : 1..3
  var up[Card] : Bool
  var rel[Card, Suit] : Mark
  var pair[Suit, Card] : 0..2
  var wide[Card] : 0..99
  var tall[Player] : 0..4
  var grid[Player, Rank] : Mark
  var steps : 0..60
  %(actor)s
"""


class Maker:
    """Writes the text of a game. Expressions are made for the type that is wanted, so nearly all are well-formed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.bound: list[tuple[str, str]] = []
        self.fresh = 0
        self.players = self.random.choice([1, 2, 3, 3, 9])
        self.written: set[str] = set()

    def pick(self, *choices: Callable[[], str]) -> str:
        return self.random.choice(choices)()

    def local(self, kind: str) -> list[Callable[[], str]]:
        """Bound names of a type, each twice as likely as anything else."""
        return [name.__str__ for name, known in self.bound if known == kind] * 2

    # ---- expressions -----------------------------------------------------------------------------
    def of(self, kind: str, depth: int) -> str:
        make = {
            "Int": self.integer,
            "Bool": self.truth,
            "Suit": self.suit,
            "Player": self.player,
            "Card": self.card,
            "Place": self.place,
            "Tip": self.tip,
            "Mark": self.mark,
            "Rank": self.rank,
        }
        return make[kind](depth)

    def choice(self, kind: str, depth: int) -> list[Callable[[], str]]:
        """`if` and `match`, for any type."""
        if depth <= 0:
            return []
        return [
            lambda: f"(if {self.truth(depth - 1)} then {self.of(kind, depth - 1)} else {self.of(kind, depth - 1)})",
            lambda: self.matched(kind, depth),
        ]

    def matched(self, kind: str, depth: int) -> str:
        if self.random.random() < 0.5:
            subject = self.tip(depth - 1)
            arms = [("none", []), ("both", ["Player", "Rank"]), ("one", ["Suit"])]
        else:
            subject = self.place(depth - 1)
            arms = [("pile", []), ("hand", ["Player"]), ("table", ["Suit", "Rank"]), ("gone", [])]
        self.random.shuffle(arms)
        shown = []
        for name, fields in arms:
            names = [(self.name(), field) for field in fields]
            self.bound += names
            body = self.of(kind, depth - 2)
            del self.bound[len(self.bound) - len(names) :]
            shown.append(f"{name}({', '.join(n for n, _ in names)}) : {body}" if names else f"{name} : {body}")
        if self.random.random() < 0.3:
            shown[-1] = f"else : {self.of(kind, depth - 2)}"
        return f"(match {subject} {{ {' ; '.join(shown)} }})"

    def name(self) -> str:
        self.fresh += 1
        return f"v{self.fresh}"

    def over(self, body: Callable[[], str], where: bool = True) -> str:
        """A body with one or two names bound in it."""
        kinds = self.random.choice(["Card", "Card", "Player", "Suit", "Rank", "Card Suit", "Card Card"]).split()
        names = [(self.name(), kind) for kind in kinds]
        self.bound += names
        text = f"{body()} for {', '.join(f'{n} : {k}' for n, k in names)}"
        if where and self.random.random() < 0.5:
            text += f" where {self.truth(1)}"
        del self.bound[len(self.bound) - len(names) :]
        return text

    def integer(self, depth: int) -> str:
        leaves = [
            lambda: str(self.random.randrange(-1, 6)),
            lambda: "small",
            lambda: "odd",
            lambda: "steps",
            *self.local("Int"),
            *self.local("Rank"),
        ]
        if depth <= 0:
            return self.pick(*leaves)
        inner = depth - 1
        return self.pick(
            *leaves,
            lambda: f"({self.integer(inner)} {self.random.choice('+-*')} {self.integer(inner)})",
            lambda: f"({self.integer(inner)} {self.random.choice('/%')} {self.random.randrange(1, 5)})",
            lambda: f"{self.random.choice(['min', 'max'])}({self.integer(inner)}, {self.integer(inner)})",
            lambda: f"index({self.of(self.random.choice(['Card', 'Player', 'Suit']), inner)})",
            lambda: f"rank[{self.card(inner)}]",
            lambda: f"lev[{self.card(inner)}]",
            lambda: f"wide[{self.card(inner)}]",
            lambda: f"pair[{self.suit(inner)}, {self.card(inner)}]",
            lambda: f"tall[{self.player(inner)}]",
            lambda: f"count({self.over(lambda: self.truth(inner))})",
            lambda: f"sum({self.over(lambda: self.integer(inner))})",
            lambda: f"{self.random.choice(['min', 'max'])}({self.over(lambda: self.integer(inner), where=False)})",
            *self.choice("Int", depth),
        )

    def rank(self, depth: int) -> str:
        """A number that is sometimes outside."""
        leaves = [lambda: str(self.random.randrange(1, 5)), lambda: "(small + 0)", *self.local("Rank")]
        if depth <= 0 or self.random.random() < 0.7:
            return self.pick(*leaves)
        return self.pick(
            *leaves, lambda: f"rank[{self.card(depth - 1)}]", lambda: f"({self.integer(depth - 1)} + small - small)"
        )

    def truth(self, depth: int) -> str:
        inner = depth - 1
        leaves = [lambda: "flag", lambda: f"up[{self.card(0)}]", *self.local("Bool")]
        if depth <= 0:
            return self.pick(*leaves)
        same = self.random.choice(["Suit", "Player", "Card", "Place", "Place", "Tip", "Mark", "Int", "Bool"])
        return self.pick(
            *leaves,
            lambda: f"({self.of(same, inner)} {self.random.choice(['==', '!='])} {self.of(same, inner)})",
            lambda: f"({self.integer(inner)} {self.random.choice(['<', '<=', '>', '>='])} {self.integer(inner)})",
            lambda: f"({self.truth(inner)} {self.random.choice(['and', 'or', 'implies'])} {self.truth(inner)})",
            lambda: f"(not {self.truth(inner)})",
            lambda: f"(place[{self.card(0)}] == {self.place(inner)})",
            lambda: f"(rel[{self.card(0)}, {self.suit(inner)}] == {self.mark(0)})",
            lambda: f"{self.random.choice(['exists', 'forall'])}({self.over(lambda: self.truth(inner))})",
            lambda: f"{self.random.choice(['exists', 'forall'])}({self.over(lambda: self.truth(inner))})",
            *self.choice("Bool", depth),
        )

    def suit(self, depth: int) -> str:
        leaves = [lambda: self.random.choice(["red", "blue", "green"]), *self.local("Suit")]
        if depth <= 0:
            return self.pick(*leaves)
        return self.pick(*leaves, lambda: f"suit[{self.card(depth - 1)}]", *self.choice("Suit", depth))

    def player(self, depth: int) -> str:
        leaves = [lambda: "turn", lambda: f"Player({self.random.randrange(self.players)})", *self.local("Player")]
        if depth <= 0:
            return self.pick(*leaves)
        some = [lambda: f"next({self.player(depth - 1)})", *self.choice("Player", depth)]
        if self.random.random() < 0.2:
            some.append(lambda: f"Player({self.integer(depth - 1)} + small - small)")
        return self.pick(*leaves, *some)

    def card(self, depth: int) -> str:
        bound = [name for name, kind in self.bound if kind == "Card"]
        if bound and self.random.random() < 0.8:
            return self.random.choice(bound)
        if depth > 0 and self.random.random() < 0.4:
            return f"Card({self.integer(depth - 1)} + small - small)"
        return f"Card({self.random.choice(['small', 'steps % 12', 'index(turn)', str(self.random.randrange(12))])})"

    def place(self, depth: int) -> str:
        leaves = [lambda: self.random.choice(["pile", "gone"]), lambda: f"hand({self.player(0)})"]
        if depth <= 0:
            return self.pick(*leaves)
        return self.pick(
            *leaves,
            lambda: f"hand({self.player(depth - 1)})",
            lambda: f"table({self.suit(depth - 1)}, {self.rank(depth - 1)})",
            lambda: f"place[{self.card(depth - 1)}]",
            *self.choice("Place", depth),
        )

    def tip(self, depth: int) -> str:
        leaves = [lambda: "none", lambda: "tip", *self.local("Tip")]
        if depth <= 0:
            return self.pick(*leaves)
        return self.pick(
            *leaves,
            lambda: f"both({self.player(depth - 1)}, {self.rank(depth - 1)})",
            lambda: f"one({self.suit(depth - 1)})",
            *self.choice("Tip", depth),
        )

    def mark(self, depth: int) -> str:
        leaves = [lambda: self.random.choice(["blank", "cross", "ring"])]
        if depth <= 0:
            return self.pick(*leaves)
        return self.pick(
            *leaves,
            lambda: f"rel[{self.card(depth - 1)}, {self.suit(depth - 1)}]",
            lambda: f"grid[{self.player(depth - 1)}, {self.rank(depth - 1)}]",
            *self.choice("Mark", depth),
        )

    # ---- statements ------------------------------------------------------------------------------
    def small(self, low: int, high: int, depth: int) -> str:
        """A number mostly inside its bounds."""
        if self.random.random() < 0.85:
            return f"max({low}, min({self.integer(depth)}, {high}))"
        return f"{self.integer(depth)} + small - small"

    def update(self) -> str:
        scalars = {
            "small": lambda: self.small(0, 5, 2),
            "odd": lambda: self.small(-2, 3, 2),
            "flag": lambda: self.truth(2),
            "tip": lambda: self.tip(2),
        }
        left = sorted(scalars.keys() - self.written)
        if left and self.random.random() < 0.3:
            name = self.random.choice(left)
            self.written.add(name)
            return f"{name}' = {scalars[name]()}"
        return self.pick(
            lambda: f"place[{self.card(1)}]' = {self.place(2)}",
            lambda: f"place[{self.card(0)}]' = {self.place(1)}",
            lambda: f"lev[{self.card(1)}]' = {self.small(1, 3, 1)}",
            lambda: f"up[{self.card(0)}]' = {self.truth(1)}",
            lambda: f"rel[{self.card(0)}, {self.suit(1)}]' = {self.mark(2)}",
            lambda: f"pair[{self.suit(1)}, {self.card(0)}]' = {self.small(0, 2, 1)}",
            lambda: f"wide[{self.card(0)}]' = {self.small(0, 99, 1)}",
            lambda: f"tall[{self.player(1)}]' = {self.small(0, 4, 1)}",
            lambda: f"grid[{self.player(0)}, {self.rank(1)}]' = {self.mark(1)}",
        )

    def statement(self, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.6:
            return self.update()
        if self.random.random() < 0.5:
            text = f"case {self.truth(2)} {{ {self.block(depth - 1)} }}"
            return text + (f" else {{ {self.block(depth - 1)} }}" if self.random.random() < 0.5 else "")
        kind = self.random.choice(["Card", "Card", "Suit", "Rank", *(["Player"] if self.players > 2 else [])])
        name = self.name()
        self.bound.append((name, kind))
        number = name if kind == "Rank" else f"index({name})"
        test = f"< {self.random.randrange(2, 11)}" if kind == "Card" else "!= 1"
        where = f"{number} {test} and {self.truth(1)}"
        text = f"for {name} : {kind} where {where} {{ {self.block(depth - 1, 1)} }}"
        self.bound.pop()
        return text

    def block(self, depth: int, most: int = 3) -> str:
        return "\n    ".join(self.statement(depth) for _ in range(self.random.randrange(1, most + 1)))

    def action(self, number: int) -> str:
        kinds = self.random.sample(["Card", "Player", "Rank", "Suit", "Bool", "Tip", "Card"], self.random.randrange(3))
        params = [(self.name(), kind) for kind in kinds]
        self.bound = list(params)
        guards, usual = ["steps < 60"], []
        for name, kind in params:
            if kind == "Card" and self.random.random() < 0.8:
                where = self.random.choice(["hand(turn)", "pile", "gone", "hand(next(turn))"])
                guards.append(f"place[{name}] == {where}")
                usual += [f"place[{name}]' = {self.place(0)}"] if self.random.random() < 0.6 else []
            elif kind in ("Tip", "Suit", "Rank") and self.random.random() < 0.6:
                guards.append(self.some_member(name, kind))
        guards += [self.truth(2) for _ in range(self.random.randrange(2))]
        self.random.shuffle(guards)
        text = f"  action a{number}({', '.join(f'{n} : {k}' for n, k in params)})\n"
        text += "".join(f"    when {guard} label g{i}\n" for i, guard in enumerate(guards))
        self.written = set()
        usual += [self.block(2)] if not usual or self.random.random() < 0.7 else []
        self.random.shuffle(usual)
        first = "\n    ".join(usual)
        text += f"  {{ steps' = steps + 1\n    {first} }}\n"
        self.written = set()
        second = self.block(2) if self.random.random() < 0.6 else ""
        if self.random.random() < 0.5:
            second += f"\n    case steps < {self.random.choice([8, 12])} {{ place[Card(steps)]' = hand(turn) }}"
        if self.random.random() < 0.8:
            second += "\n    turn' = next(turn)"
        self.bound = []
        return text + (f"  then {{ {second} }}\n" if second else "")

    def some_member(self, name: str, kind: str) -> str:
        """A guard that asks for some card of a place in a rigid relation to the parameter."""
        relation = {
            "Suit": f"suit[c] == {name}",
            "Rank": f"rank[c] >= {name}",
            "Tip": f"match {name} {{ none : false ; both(p, r) : rank[c] == r ; one(s) : suit[c] == s }}",
        }[kind]
        where = self.random.choice(["pile", "hand(turn)", "hand(next(turn))"])
        return f"exists(place[c] == {where} and {relation} for c : Card)"

    def game(self) -> str:
        actor = "actor turn" if self.random.random() < 0.8 else ""
        parts = [HEAD % {"players": self.players, "actor": actor}]
        hand = self.random.choice([1, 2, 5])
        parts.append(f"""  start {{
    turn = Player(0)  small = 2  odd = -1  flag = false  tip = {self.random.choice(["none", "one(blue)"])}
    place[c] = if index(c) < {hand} * min({self.players}, 2) then hand(Player(index(c) / {hand})) else pile
    lev[c] = {self.random.choice(["1", "2", "1 + index(c) % 3"])}  up[c] = index(c) == 3
    rel[c, s] = {self.random.choice(["blank", "ring", "if suit[c] == s then cross else blank"])}
    pair[s, c] = {self.random.choice(["0", "2"])}
    wide[c] = index(c) * 7  tall[p] = 1  grid[p, r] = {self.random.choice(["blank", "cross"])}  steps = 0
  }}
""")
        parts += [self.action(number) for number in range(self.random.randrange(1, 4))]
        for number in range(self.random.randrange(1, 3)):
            late = self.random.choice(["", "late "])
            score = f" score {self.integer(1)}" if self.random.random() < 0.3 else ""
            parts.append(f"  end e{number} {late}over when steps > 3 and {self.truth(2)}{score}\n")
        parts.append(f"  end last over when steps == 12\n  score = {self.integer(2)}\n")
        parts.append('  bands { 0..3 "few" 2..9 "some" }\n')
        self.bound = [("p", "Player")]
        parts.append(
            f"  view p : Player sees {{ small, {self.truth(2)} ; {self.over(lambda: self.of('Place', 1))} ; "
            f"{self.over(lambda: self.mark(1))} }}\n}}\n"
        )
        return "".join(parts)


def random_game(seed: int) -> str:
    return Maker(seed).game()
