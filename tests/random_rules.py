"""Small games made at random together with properties of them: ten cards, few variables, quick to prove things of.

The properties are of the kinds that proofs have gone wrong on: of two cards at once, of counts over two maps that one
action writes at one card, of ends that may hold before the first action. Most are false, some are true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random

HEAD = """game made {
  sort Player = 2
  enum Suit = red | black
  range Rank = %(ranks)s
  cards Card(suit : Suit, rank : Rank) copies %(copies)s
  var turn : Player
  var n : 0..12
  var k : 0..3
  var flag : Bool
  var spare : 0..3
  var up[Card] : Bool
  var mark[Card] : 0..2
  var lit[Rank] : Bool
  var tie[Card, Card] : Bool
  record seen[Card] : Bool
  actor turn
"""
DECKS = ({"ranks": "1..5", "copies": "1"}, {"ranks": "1..4", "copies": "if rank == 1 then 2 else 1"})
SIGHTS = {
    "k": "k",
    "flag": "flag",
    "spare": "spare",
    "up": "up[c] for c : Card",
    "mark": "mark[c] for c : Card",
    "lit": "lit[r] for r : Rank",
    "tie": "tie[c, d] for c : Card, d : Card",
    "seen": "seen[c] for c : Card",
    "suit": "suit[c] for c : Card",
    "rank": "rank[c] for c : Card",
}
RULES_READ = frozenset((*SIGHTS, "n", "turn", "same")) - {"spare", "seen"}
"""All that rules may read, `same` being whether two cards are. No rule reads `spare`, and none may read a record."""
FACES = frozenset(("rank", "suit", "same"))
Text = Callable[[], str]


@dataclass
class RuleMaker:
    """Writes a game. What it hides from the seats, it mostly also hides from whatever they see, and from guards."""

    seed: int
    random: Random = field(init=False)
    bound: list[tuple[str, str]] = field(init=False, default_factory=list)
    reads: frozenset[str] = field(init=False, default=RULES_READ)
    hidden: frozenset[str] = field(init=False, default=frozenset())
    secret: bool = field(init=False, default=False)
    ends: list[str] = field(init=False, default_factory=list)
    fresh: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.random = Random(self.seed)

    def chance(self, percent: int) -> bool:
        return self.random.random() * 100 < percent

    def one(self, *texts: str) -> str:
        return self.random.choice(texts)

    def made(self, *texts: Text) -> str:
        return self.random.choice(texts)()

    def name(self) -> str:
        self.fresh += 1
        return f"x{self.fresh}"

    @contextmanager
    def binding(self, *kinds: str) -> Iterator[list[str]]:
        names = [self.name() for _ in kinds]
        before = list(self.bound)
        self.bound += zip(names, kinds, strict=True)
        yield names
        self.bound = before

    @contextmanager
    def reading(self, names: frozenset[str]) -> Iterator[None]:
        before, self.reads = self.reads, names
        yield
        self.reads = before

    # ---- expressions -----------------------------------------------------------------------------
    def local(self, kind: str, otherwise: Text) -> str:
        known = [name for name, of in self.bound if of == kind]
        return self.random.choice(known) if known and self.chance(85) else otherwise()

    def card(self) -> str:
        return self.local("Card", lambda: self.one("Card(0)", "Card(1)", "Card(9)", "Card(n % 10)"))

    def rank(self) -> str:
        ranks = ["1", "2", "4", *([f"rank[{self.card()}]"] * 2 if "rank" in self.reads else [])]
        return self.local("Rank", lambda: self.one(*ranks))

    def fact(self) -> str:
        """Something about one variable or one attribute."""
        compare = self.one("==", "!=", "<", ">=")
        facts: dict[str, list[Text]] = {
            "flag": [lambda: "flag"],
            "up": [lambda: f"up[{self.card()}]"] * 2,
            "seen": [lambda: f"seen[{self.card()}]"],
            "mark": [lambda: f"mark[{self.card()}] {compare} {self.random.randrange(3)}"] * 2,
            "lit": [lambda: f"lit[{self.rank()}]"],
            "tie": [lambda: f"tie[{self.card()}, {self.card()}]"],
            "k": [lambda: f"k {compare} {self.random.randrange(4)}"],
            "spare": [lambda: f"spare {compare} {self.random.randrange(4)}"],
            "n": [lambda: f"n {compare} {self.random.randrange(6)}"],
            "same": [lambda: f"{self.card()} {self.one('==', '!=')} {self.card()}"],
            "turn": [lambda: "turn == Player(0)"],
            "suit": [lambda: f"suit[{self.card()}] == {self.one('red', 'black')}"],
            "rank": [lambda: f"rank[{self.card()}] {compare} {self.rank()}"],
        }
        return f"({self.made(*(make for name in sorted(self.reads) for make in facts[name]))})"

    def truth(self, depth: int) -> str:
        if depth <= 0 or self.chance(35):
            return self.fact()
        inner = depth - 1
        return self.made(
            lambda: f"(not {self.truth(inner)})",
            lambda: f"({self.truth(inner)} {self.one('and', 'or', 'implies')} {self.truth(inner)})",
            lambda: f"({self.truth(inner)} == {self.truth(inner)})",
            lambda: self.over(self.one("exists", "forall"), inner),
            lambda: f"({self.number(inner)} {self.one('==', '<', '<=', '>')} {self.number(inner)})",
        )

    def over(self, kind: str, depth: int) -> str:
        """`exists`, `forall` or `count` over one name."""
        of = self.one("Card", "Card", "Rank")
        with self.binding(of) as (name,):
            return f"{kind}({self.truth(depth)} for {name} : {of})"

    def number(self, depth: int) -> str:
        some: list[Text] = [lambda: str(self.random.randrange(5)), lambda: "n"]
        some += [lambda: "k"] if "k" in self.reads else []
        some += [lambda: f"mark[{self.card()}]"] if "mark" in self.reads else []
        some += [lambda: self.over("count", depth)] * 4 if depth > 0 else []
        return self.made(*some)

    # ---- statements ------------------------------------------------------------------------------
    def updates(self) -> dict[str, Text]:
        """For each variable, something that it may become. A bound is rarely missed."""
        card, rank = self.card(), self.rank()
        truth = self.one("true", "true", "false", "") or self.truth(2)
        number = self.one("k + 1", "k + 2") if self.chance(15) else self.one("min(k + 1, 3)", "max(k - 1, 0)", "3", "0")
        level = f"mark[{card}] + 1" if self.chance(15) else self.one("1", "2", f"(mark[{card}] + 1) % 3")
        return {
            "k": lambda: f"k' = if {self.truth(1)} then {number} else k",
            "flag": lambda: f"flag' = {self.truth(2)}",
            "spare": lambda: f"spare' = {self.one('(n * 2) % 4', '1', '3')}",
            "up": lambda: f"up[{card}]' = {truth}",
            "mark": lambda: f"mark[{card}]' = {level}",
            "lit": lambda: f"lit[{rank}]' = {truth}",
            "tie": lambda: f"tie[{card}, {self.card()}]' = {self.truth(1)}",
            "seen": lambda: f"seen[{card}]' = {truth}",
        }

    def written(self, var: str) -> str:
        """A write, which reads what is hidden only if it writes what is."""
        open_ones = RULES_READ - self.hidden
        with self.reading(RULES_READ if var in self.hidden or self.chance(50 if var == "tie" else 7) else open_ones):
            return self.updates()[var]()

    def statement(self, var: str) -> str:
        if self.chance(70):
            return self.written(var)
        with self.reading(RULES_READ if var in self.hidden else RULES_READ - self.hidden):
            if self.chance(60):
                condition = self.truth(1)
                text = f"case {condition} {{ {self.written(var)} }}"
                return text + (f" else {{ {self.written(var)} }}" if self.chance(40) else "")
            where, self.bound = self.bound, []
            with self.binding("Rank" if var == "lit" else "Card") as (name,):
                kind = self.bound[-1][1]
                text = f"for {name} : {kind} where {self.truth(1)} {{ {self.written(var)} }}"
            self.bound = where
            return text if var in ("up", "mark", "lit", "seen") else self.written(var)

    def block(self, least: int) -> list[str]:
        """Each variable is written once, nearly always."""
        many = self.random.randrange(least, 4)
        several = self.random.sample(["k", "flag", "spare", "up", "mark", "lit", "tie", "seen"], many)
        several += [self.one("up", "mark")] if self.chance(6) else []
        return [self.statement(var) for var in several]

    def revealed(self) -> str:
        who = f" to q : Player where {self.one('q != turn', 'q == turn', 'flag')}" if self.chance(40) else ""
        return f"reveal {self.one('rank', 'suit')}[{self.card()}]{who}"

    def action(self, number: int) -> str:
        kinds = self.one("Card", "Card", "Card Card", "Card Rank", "Rank", "").split()
        with self.binding(*kinds) as names:
            params = ", ".join(f"{name} : {kind}" for name, kind in zip(names, kinds, strict=True))
            text = f"  action a{number}({params})\n    when n < 12\n"
            with self.reading(RULES_READ if self.chance(10) else RULES_READ - self.hidden):
                text += "".join(f"    when {self.truth(1)}\n" for _ in range(self.random.randrange(3)))
                text += f"    when {names[0]} != {names[1]}\n" if kinds == ["Card", "Card"] else ""
            first = ["n' = n + 1", *self.block(1)]
            if kinds[:1] == ["Card"] and self.chance(60):
                first = ["n' = n + 1", f"up[{names[0]}]' = true", f"mark[{names[0]}]' = {self.one('1', '2')}"]
            elif kinds == ["Card", "Card"]:
                first = ["n' = n + 1", f"tie[{names[0]}, {names[1]}]' = {self.fact()}"]
            if self.secret:
                first = ["n' = n + 1", f"flag' = rank[{self.card()}] {self.one('==', '>')} {self.one('2', '4')}"]
            second = self.block(0) if self.chance(60) else []
            second += ["turn' = next(turn)"] if self.chance(80) else []
            for part in (first, second):
                part += [self.revealed()] if self.chance(25) else []
            self.random.shuffle(first)
        then = f" then {{ {' ; '.join(second)} }}" if second else ""
        card = names[0] if kinds[:1] == ["Card"] else "Card(0)"
        told = f"  reveals r{number} : a{number}({', '.join(names)}) : {self.one('rank', 'suit')}[{card}]\n"
        return f"{text}  {{ {' ; '.join(first)} }}{then}\n" + (told if self.chance(60) else "")

    # ---- properties ------------------------------------------------------------------------------
    def claim(self) -> str:
        """A condition on a state."""
        self.bound = []
        end = self.one("ended()", *(f"ended({name})" for name in self.ends))
        return self.made(
            lambda: self.truth(3),
            lambda: self.over("forall", 2),
            lambda: self.pair("forall"),
            lambda: self.pair("forall"),
            lambda: self.pair("exists"),
            self.nested,
            self.nested,
            self.both_maps,
            self.both_maps,
            self.of_faces,
            self.of_faces,
            lambda: f"{self.over('count', 1)} {self.one('==', '<=', '>=')} {self.number(1)}",
            lambda: f"{self.over('count', 2)} {self.one('==', '<=', '>=')} {self.random.randrange(11)}",
            lambda: f"{end} {self.one('implies', 'or', '==')} {self.truth(2)}",
            lambda: f"{end} implies n > {self.random.randrange(3)}",
            lambda: f"({self.truth(1)}) implies n {self.one('<', '>=')} {self.random.randrange(6)}",
        )

    def pair(self, kind: str) -> str:
        of = self.one("Card", "Card", "Rank")
        with self.binding(of, of) as (one, other):
            differ = f"{one} != {other} {'implies' if kind == 'forall' else 'and'} " if self.chance(70) else ""
            return f"{kind}({differ}{self.truth(2)} for {one} : {of}, {other} : {of})"

    def both_maps(self) -> str:
        """A count that one action may change by writing two maps at one card."""
        with self.binding("Card") as (name,):
            joined, compare = self.one("and", "or", "=="), self.one("==", ">", "!=")
            counted = f"up[{name}] {joined} (mark[{name}] {compare} {self.one('0', '1')})"
            return f"count({counted} for {name} : Card) {self.one('==', '<=', '>=')} {self.one('n', 'k', '2', '2 * n')}"

    def of_faces(self) -> str:
        """Of the deal alone: which card has which face."""
        with self.reading(FACES), self.binding(*["Card"] * self.random.randrange(2)) as names:
            with self.binding("Card") as (counted,):
                other = self.one(*names or ["Card(0)", "Card(9)"])
                body = f"{counted} {self.one('==', '!=')} {other} {self.one('and', 'or')} {self.fact()}"
            inner = f"count({body} for {counted} : Card) {self.one('==', '<=', '>')} {self.random.randrange(3)}"
            return f"{self.one('forall', 'exists')}({inner} for {names[0]} : Card)" if names else inner

    def nested(self) -> str:
        with self.binding("Card") as (one,):
            outer = self.truth(1)
            with self.binding("Card") as (other,):
                inner = f"forall({one} != {other} implies {self.truth(1)} for {other} : Card)"
            return f"forall({'n < 12 and ' if self.chance(70) else f'{outer} or '}{inner} for {one} : Card)"

    def step(self) -> str:
        """A condition on a step."""
        self.bound = []
        return self.made(
            lambda: f"n' {self.one('==', '<=')} n + 1 or {self.truth(1)}",
            lambda: f"k' {self.one('>=', '==')} k or ended()",
            lambda: f"spare' {self.one('>=', '==')} spare",
            lambda: "forall(up[c] implies up[c]' for c : Card)",
            lambda: "forall(mark[c]' >= mark[c] for c : Card)",
            lambda: "forall(c != d implies up[c] == up[c]' or mark[d]' == mark[d] for c : Card, d : Card)",
            lambda: "forall(r != s implies lit[r]' == lit[r] or lit[s]' == lit[s] for r : Rank, s : Rank)",
            lambda: f"(flag' == flag) or {self.truth(1)}",
        )

    def properties(self, many: int) -> list[str]:
        with self.reading(RULES_READ | {"spare", "seen"}):
            kinds = ("invariant", "invariant", "unreachable")
            made = [f"  {self.one(*kinds)} q{i} : {self.claim()}\n" for i in range(many)]
            made += [f"  step s{i} : {self.step()}\n" for i in range(many // 3)]
        return [*made, "  terminates sinks decreasing [12 - n]\n", "  deadlock_free moves\n"]

    # ---- the whole -------------------------------------------------------------------------------
    def end(self, number: int) -> str:
        """Half of them may hold at the start; what is hidden may end a game."""
        self.bound = []
        early = self.one("n == 0", "n < 2", "k == 0", "not flag", f"{self.truth(1)}")
        dealt = ("rank[Card(0)] == 4", "suit[Card(9)] == red", "up[Card(0)]", "true")
        condition = self.made(
            lambda: f"{early} and {self.one(*dealt)} and {self.fact()}",
            lambda: f"n > 1 and {self.truth(2)}",
            lambda: f"n > 1 and (flag or k == {self.random.randrange(4)})",
            lambda: f"n > 2 and count(up[c] and mark[c] > 0 for c : Card) >= {self.random.randrange(2, 4)}",
        )
        self.ends.append(f"e{number}")
        if self.secret and number == 0:
            return f"  end e0 over when flag or {self.one('k == 3', 'turn == Player(1)', 'turn == Player(0)')}\n"
        return f"  end e{number} {self.one('', '', 'late ')}over when {condition}\n"

    def start(self) -> str:
        return f"""  start {{
    turn = Player(0)  n = 0  flag = {self.one("false", "false", "rank[Card(0)] > 2", "suit[Card(1)] == red")}
    k = {self.one("0", "0", "2", "if rank[Card(9)] == 4 then 1 else 0")}
    spare = {self.one("0", "0", "3", "rank[Card(2)] - 1")}
    up[c] = {self.one("false", "false", "index(c) < 3", "rank[c] == 1", "c == Card(0)")}
    mark[c] = {self.one("0", "0", "index(c) % 3", "if suit[c] == red then 1 else 0")}
    lit[r] = {self.one("false", "r == 2", "rank[Card(0)] == r")}
    tie[c, d] = {self.one("false", "c == d", "rank[c] < rank[d]")}
    seen[c] = {self.one("false", "true", "index(c) < 2")}
  }}
"""

    def view(self) -> str:
        where = "" if self.secret else self.one("", " where up[c]", " where index(p) == 0")
        partly = {f"{name}[c] for c : Card{where}" for name in self.hidden & {"rank", "suit"}} if where else set()
        shown = [SIGHTS[name] for name in SIGHTS if name not in self.hidden]
        return f"  view p : Player sees {{ n, turn ; {' ; '.join([*shown, *sorted(partly)])} }}\n"

    def game(self, many: int) -> str:
        self.hidden = frozenset(self.random.sample(sorted(SIGHTS), self.random.randrange(1, 5)))
        self.secret = self.chance(30)
        self.hidden |= {"flag", "rank"} if self.secret else set()
        parts = [HEAD % self.random.choice(DECKS), self.start()]
        parts += [self.action(number) for number in range(self.random.randrange(1, 3))]
        parts += [self.end(number) for number in range(self.random.randrange(self.secret, 3))]
        parts.append(f"  end last over when n == {self.random.randrange(5, 9)}\n  score = {self.one('n', 'k', '0')}\n")
        return "".join([*parts, self.view(), *self.properties(many), "}\n"])


def random_rules(seed: int, properties: int = 8) -> str:
    """The text of a game with that many conditions on states, and some on steps."""
    return RuleMaker(seed).game(properties)
