"""Games of three variables written twice: as rules, and as Python that plays every game there is.

What `check` says of a property is compared with that: nothing of the program has a part in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

State = tuple[int, int, bool]
MOST = 5


@dataclass(frozen=True)
class Both:
    """A text of the rule language, and the same in Python."""

    rules: str
    python: str

    def value(self, state: State, after: State | None = None, score: int = 0) -> Any:
        n, k, flag = state
        names = {"n": n, "k": k, "flag": flag, "score": score, "min": min, "max": max}
        if after is not None:
            names |= {"n_after": after[0], "k_after": after[1], "flag_after": after[2]}
        return eval(self.python, {"__builtins__": {}}, names)


@dataclass(frozen=True)
class Act:
    guards: tuple[Both, ...]
    writes: tuple[tuple[int, Both], ...]

    def after(self, state: State) -> State:
        new: list[Any] = list(state)
        for place, value in self.writes:
            new[place] = value.value(state)
        return new[0], new[1], new[2]


@dataclass(frozen=True)
class Ending:
    condition: Both
    score: Both | None


@dataclass(frozen=True)
class Property:
    kind: str
    claim: Both


@dataclass(frozen=True)
class Counters:
    acts: tuple[Act, ...]
    ends: tuple[Ending, ...]
    score: Both
    properties: tuple[Property, ...]

    def rules(self) -> str:
        lines = [
            f"game made {{\n  var n : 0..{MOST}\n  var k : 0..{MOST}\n  var flag : Bool",
            "  start { n = 0  k = 0  flag = false }",
        ]
        for number, act in enumerate(self.acts):
            guards = "".join(f" when {guard.rules}" for guard in act.guards)
            writes = "  ".join(f"{('n', 'k', 'flag')[place]}' = {value.rules}" for place, value in act.writes)
            lines.append(f"  action a{number}(){guards} {{ {writes} }}")
        for number, end in enumerate(self.ends):
            own = f" score {end.score.rules}" if end.score is not None else ""
            lines.append(f"  end e{number} over when {end.condition.rules}{own}")
        lines.append(f"  score = {self.score.rules}")
        for number, prop in enumerate(self.properties):
            claim = f" : {prop.claim.rules}" if prop.kind != "deadlock_free" else ""
            lines.append(f"  {prop.kind} p{number}{claim}")
        return "\n".join(lines) + "\n}\n"

    # ---- played ------------------------------------------------------------------------------------------
    def ended(self, state: State) -> Ending | None:
        return next((end for end in self.ends if end.condition.value(state)), None)

    def points(self, state: State) -> int:
        end = self.ended(state)
        found: int = (end.score if end is not None and end.score is not None else self.score).value(state)
        return found

    def games(self) -> tuple[set[State], set[tuple[State, State]], bool]:
        """All states, all steps, and whether every value is where it may be; the start is not asked for its end."""
        start: State = (0, 0, False)
        states, waiting = {start}, [start]
        steps: set[tuple[State, State]] = set()
        while waiting:
            now = waiting.pop()
            if self.ended(now) is not None:
                continue
            for act in self.acts:
                if all(guard.value(now) for guard in act.guards):
                    after = act.after(now)
                    if not (0 <= after[0] <= MOST and 0 <= after[1] <= MOST):
                        return states, steps, False
                    steps.add((now, after))
                    if after not in states:
                        states.add(after)
                        waiting.append(after)
        return states, steps, True

    def truths(self) -> dict[str, bool] | None:
        """For each property whether it is so; None for a game that breaks down, or is over before it begins."""
        states, steps, whole = self.games()
        if not whole or self.ended((0, 0, False)) is not None:
            return None
        found = {}
        for number, prop in enumerate(self.properties):
            holds = (
                [prop.claim.value(state, None, self.points(state)) for state in states]
                if prop.kind in ("invariant", "unreachable", "reachable")
                else []
            )
            match prop.kind:
                case "invariant":
                    found[f"p{number}"] = all(holds)
                case "unreachable":
                    found[f"p{number}"] = not any(holds)
                case "reachable":
                    found[f"p{number}"] = any(holds)
                case "step":
                    found[f"p{number}"] = all(prop.claim.value(now, after) for now, after in steps)
                case "deadlock_free":
                    moving = {now for now, _ in steps}
                    found[f"p{number}"] = all(state in moving or self.ended(state) is not None for state in states)
        return found


# ---- at random -------------------------------------------------------------------------------------------
def number(random: Random) -> Both:
    plain = random.choice(("n", "k", "n + k", "min(n, k)", "max(n, k)", "2 * n", "n - k"))
    return Both(plain, plain)


def truth(random: Random, depth: int = 2, score: bool = False) -> Both:
    if depth == 0 or random.random() < 0.4:
        if random.random() < 0.25:
            return Both("flag", "flag")
        left = Both("score", "score") if score and random.random() < 0.5 else number(random)
        sign, right = random.choice(("==", "!=", "<", "<=", ">", ">=")), random.randrange(-1, 9)
        return Both(f"{left.rules} {sign} {right}", f"({left.python} {sign} {right})")
    one, other = truth(random, depth - 1, score), truth(random, depth - 1, score)
    match random.randrange(4):
        case 0:
            return Both(f"not ({one.rules})", f"(not {one.python})")
        case 1:
            return Both(f"(({one.rules}) implies ({other.rules}))", f"((not {one.python}) or {other.python})")
    word = random.choice(("and", "or"))
    return Both(f"(({one.rules}) {word} ({other.rules}))", f"({one.python} {word} {other.python})")


def _write(random: Random, place: int) -> Both:
    if place == 2:
        return random.choice((Both("not flag", "not flag"), Both("true", "True"), truth(random, 1)))
    name = ("n", "k")[place]
    plain = random.choice(
        (
            f"min({name} + 1, {MOST})",
            f"max({name} - 1, 0)",
            "0",
            "2",
            f"min({name} + 2, {MOST})",
            "n",
            "k",
            f"{name} + 1",
        )
    )
    return Both(plain, plain)


def _property(random: Random) -> Property:
    kind = random.choice(("invariant", "invariant", "unreachable", "reachable", "step", "deadlock_free"))
    if kind == "step":
        name = random.choice(("n", "k"))
        sign = random.choice((">=", "<=", "=="))
        return Property(kind, Both(f"{name}' {sign} {name}", f"{name}_after {sign} {name}"))
    return Property(kind, truth(random, 2, score=True))


def counters(random: Random) -> Counters:
    acts = []
    for _ in range(random.randrange(1, 4)):
        places = random.sample(range(3), random.randrange(1, 3))
        acts.append(
            Act(
                tuple(truth(random, 1) for _ in range(random.randrange(2))),
                tuple((place, _write(random, place)) for place in places),
            )
        )
    ends = tuple(
        Ending(truth(random, 1), random.choice((None, None, Both("7", "7"), number(random))))
        for _ in range(random.randrange(1, 3))
    )
    return Counters(tuple(acts), ends, number(random), tuple(_property(random) for _ in range(4)))
