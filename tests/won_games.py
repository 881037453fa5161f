"""Games that were played, told to the clauses that are to deny such games: every one of them must meet the clauses.

Told to `judge/refutations/seats.py` is all that its variables mean of a game: which cards were played, who acted, what was played
when, how many hints came between. Told to `sat/` are the moves. A solver may choose the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, cast

from pysat.solvers import Cadical195

from hanabi_formal.api import Game
from hanabi_formal.judge.arguments.position import Position, reader
from hanabi_formal.judge.refutations.seats import Seats, can_be_seated
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import show_value, type_values
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState
from hanabi_formal.run.interpret import Snapshot
from hanabi_formal.sat.formula import unrolling
from unrolling_laws import option_of

Driver = Callable[[Dealt, PackedState], int]
Kind = Literal["seats", "spending", "tokens"]


class Denied(Exception):
    """Clauses that a game which was played does not meet."""


@dataclass(frozen=True)
class Told:
    """A game that has ended: its states, its actions and its score."""

    faces: tuple[int, ...]
    states: tuple[Snapshot, ...]
    actions: tuple[Instance, ...]
    score: int


def played(compiled: Compiled, faces: Sequence[int], driver: Driver) -> Told | None:
    """None if nothing can be done before an end."""
    dealt = compiled.deal(list(faces))
    state = compiled.start(dealt)
    states, actions = [compiled.snapshot(state)], []
    while not compiled.ended(state):
        if not compiled.legal(dealt, state):
            return None
        code = driver(dealt, state)
        instance = compiled.decode(state, code)
        state = compiled.step(dealt, state, code)
        actions.append(instance)
        states.append(compiled.snapshot(state))
    return Told(tuple(faces), tuple(states), tuple(actions), compiled.score(dealt, state))


def followed(compiled: Compiled, faces: Sequence[int], actions: Sequence[Instance]) -> Told | None:
    left = iter(actions)

    def driver(dealt: Dealt, state: PackedState) -> int:
        named = next(left)
        for code in compiled.legal(dealt, state):
            instance = compiled.decode(state, code)
            if instance == named:
                return code
        raise ValueError(named)

    return played(compiled, faces, driver)


# ---- seats -------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Turn:
    """What one action did, in the words of positions; `card` is the one that left a hand, if one did."""

    seat: int
    card: int | None
    is_played: bool
    is_discard: bool


def turns_of(compiled: Compiled, told: Told, begun: int = 0) -> Iterator[Turn]:
    kind = compiled.system.variable("place").type
    shown = {value: show_value(kind, value) for value in type_values(kind)}
    for (before, after), (name, _) in zip(pairwise(told.states[begun:]), told.actions[begun:], strict=True):
        old, new = (cast("tuple[int, ...]", state.values["place"]) for state in (before, after))
        gone = [
            c
            for c, (a, b) in enumerate(zip(old, new, strict=True))
            if shown[a].startswith("hand") and not shown[b].startswith("hand")
        ]
        assert len(gone) <= 1
        card = gone[0] if gone else None
        fits = card is not None and shown[new[card]] == "fireworks"
        yield Turn(cast(int, before.values["turn"]), card, fits, name == "discard")


def told_to(seats: Seats, turns: Sequence[Turn]) -> list[int]:
    """All that the variables of the clauses mean in the game."""
    position = seats.position
    laid = {turn.card for turn in turns if turn.is_played}
    found = [literal if card in laid else -literal for card, literal in enumerate(seats.used)]
    step = hints = 0
    for turn in turns:
        if turn.card is None and step < seats.draws:
            hints += 1
            continue
        if step < seats.steps:
            found.append(seats.acts[step][turn.seat])
            found.append(seats.is_play[step] if turn.is_played else -seats.is_play[step])
            if turn.is_played:
                assert turn.card is not None
                found.append(seats.plays[position.faces[turn.card]][step])
            if seats.tokens is not None and step < seats.draws:
                found.append(seats.tokens.hints[step][hints])
                found.append(seats.tokens.discards[step] if turn.is_discard else -seats.tokens.discards[step])
        else:
            raise Denied("a turn after the last")
        step, hints = step + 1, 0
    return found


class Seated:
    """The clauses of one position, to which games are told."""

    def __init__(self, position: Position, goal: int, kind: Kind) -> None:
        self.seats = Seats(position, goal, tokens=kind != "seats", at_full=kind == "spending")
        self._solver = Cadical195(bootstrap_with=self.seats.cnf.clauses)

    def meets(self, turns: Sequence[Turn]) -> bool:
        return bool(self._solver.solve(assumptions=told_to(self.seats, turns)))

    def close(self) -> None:
        self._solver.delete()


def tell_seats(game: Game, players: int, told: Sequence[Told], kind: Kind, begun: int = 0) -> int:
    """Games of one deal, from a state that they have in common; the goal is what the worst of them had, and then what
    each had. Raises `Denied`, or says how many were told."""
    compiled = game.compiled(players)
    found = reader(game, players)
    assert found is not None
    state = game.start(players, told[0].faces)
    for name, args in told[0].actions[:begun]:
        state = state.step(state.action(name, *args))
    position = found.read(state)
    if state.ended or not can_be_seated(position):
        return 0
    many = 0
    for goal in sorted({each.score for each in told}):
        seated = Seated(position, goal, kind)
        for each in told:
            if each.score == goal or (each.score > goal and goal == min(one.score for one in told)):
                if not seated.meets(list(turns_of(compiled, each, begun))):
                    raise Denied(kind, players, goal, each.score, begun, each.faces, each.actions)
                many += 1
        seated.close()
    return many


# ---- unrolled rules ----------------------------------------------------------------------------------
def tell_rules(compiled: Compiled, told: Sequence[Told], begun: int = 0) -> int:
    """The same, told to the rules unrolled."""
    goal, horizon = min(each.score for each in told), max(len(each.actions) for each in told) - begun
    start = told[0].states[begun]
    if start.end:
        return 0
    unrolled = unrolling(compiled.system, told[0].faces, start, goal)
    for _ in range(horizon):
        unrolled.step()
    solver: Any = Cadical195(bootstrap_with=unrolled.cnf.clauses)
    for each in told:
        literals = []
        for choice, action in zip(unrolled.choices, each.actions[begun:], strict=False):
            option = option_of(choice.options, action)
            if option is None:
                raise Denied("no literal", action, each)
            literals.append(option.literal)
        if not solver.solve(assumptions=literals):
            raise Denied("unrolled", goal, each.score, begun, each.faces, each.actions)
    solver.delete()
    return len(told)
