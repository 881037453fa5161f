"""The law that holds the clauses to the executor: a game is told to them move by move, and they must say the same.

Told are the moves alone; everything else follows by unit propagation. Compared at every step: which moves are legal,
that one which is not contradicts the clauses, and the value at every place; at the end, that a goal of that score is
met and a goal one higher is not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from pysat.solvers import Minisat22

from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import BOOL
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState
from hanabi_formal.run.faults import Fault
from hanabi_formal.run.interpret import Snapshot
from hanabi_formal.sat.encode.gates import Value
from hanabi_formal.sat.encode.unroll import Option, Unrolling
from hanabi_formal.sat.formula import unrolling

LOW = -10_000
Driver = Callable[[Dealt, PackedState], int]


class Differs(Exception):
    """The clauses say one thing, the executor another."""


@dataclass
class Tally:
    games: int = 0
    steps: int = 0
    moves: int = 0
    refused: int = 0
    faults: int = 0
    ends: Counter[str] = field(default_factory=Counter)


@dataclass
class Played:
    """A game: its states, what was legal in each, what was done; and whether it stopped at a fault of its rules."""

    states: list[Snapshot]
    legal: list[set[Instance]]
    actions: list[Instance]
    score: int | None = None
    is_faulty: bool = False


def play(compiled: Compiled, faces: tuple[int, ...], driver: Driver, most: int) -> Played:
    dealt = compiled.deal(list(faces))
    state = compiled.start(dealt)
    played = Played([compiled.snapshot(state)], [], [])
    try:
        while True:
            instances = [compiled.decode(state, code) for code in compiled.legal(dealt, state)]
            played.legal.append(set(instances))
            if not instances or len(played.actions) == most:
                break
            code = driver(dealt, state)
            instance = compiled.decode(state, code)
            state = compiled.step(dealt, state, code)
            if compiled.ended(state):
                played.score = compiled.score(dealt, state)
            played.actions.append(instance)
            played.states.append(compiled.snapshot(state))
    except Fault:
        played.is_faulty = True
    return played


def by_chance(compiled: Compiled, seed: int) -> Driver:
    random = Random(seed)
    return lambda dealt, state: random.choice(compiled.legal(dealt, state))


class Propagation:
    """Unit propagation over the clauses of an unrolling."""

    def __init__(self, unrolled: Unrolling) -> None:
        # What holds without assumptions is not told as a consequence, so single literals are made to need one.
        self._usual = unrolled.cnf.variables + 1
        clauses = [[*c, -self._usual] if len(c) < 2 else c for c in unrolled.cnf.clauses]
        self._solver = Minisat22(bootstrap_with=clauses)

    def follows(self, literals: Sequence[int]) -> set[int] | None:
        """All that follows from the literals, or None if they contradict the clauses."""
        consistent, found = self._solver.propagate(assumptions=[self._usual, *literals])
        return set(found) if consistent else None


def option_of(options: Sequence[Option], action: Instance) -> Option | None:
    return next((o for o in options if any(named == action for named, _ in o.move.members)), None)


def require(holds: bool, *what: object) -> None:
    if not holds:
        raise Differs(*what)


def agree(compiled: Compiled, faces: tuple[int, ...], driver: Driver, tally: Tally, most: int) -> None:
    """One game, told to the clauses."""
    played = play(compiled, faces, driver, most)
    if played.states[0].end:
        return
    unrolled = unrolling(compiled.system, faces, played.states[0], LOW)
    held = [unrolled.state]
    for _ in played.actions:
        unrolled.step()
        held.append(unrolled.state)
    is_stuck = not played.is_faulty and not played.states[-1].end and not played.legal[-1]
    if not is_stuck and not played.is_faulty:
        unrolled.step()
    told = _told(unrolled, played.actions)
    propagation = Propagation(unrolled)
    known = propagation.follows(told)
    if known is None:
        raise Differs("a game that was played is impossible")
    random = Random(len(told))
    for k, state in enumerate(played.states):
        if k == len(unrolled.choices):
            if is_stuck:
                unrolled.step()
                require(Propagation(unrolled).follows(told) is None, k, "nothing can be done")
            break
        live = unrolled.choices[k].live
        require((-live if state.end else live) in known, k, "over" if state.end else "on")
        if state.end:
            break
        _same_state(unrolled, held[k], state, known)
        wrong = _same_moves(unrolled.choices[k].options, played.legal[k], known, tally)
        if wrong:
            require(propagation.follows([*told[:k], random.choice(wrong)]) is None, k, "a move that is not legal")
            tally.refused += 1
        tally.steps += 1
    if played.states[-1].end:
        assert played.score is not None
        tally.ends[compiled.system.ends[played.states[-1].end - 1].name] += 1
        _same_score(compiled, faces, played, played.score)
    tally.faults += played.is_faulty
    tally.games += 1


def _told(unrolled: Unrolling, actions: Sequence[Instance]) -> list[int]:
    found: list[int] = []
    for k, action in enumerate(actions):
        option = option_of(unrolled.choices[k].options, action)
        if option is None:
            raise Differs(k, action, "was played and has no literal")
        found.append(option.literal)
    return found


def _same_state(unrolled: Unrolling, held: list[Value], state: Snapshot, known: set[int]) -> None:
    place = 0
    for variable in unrolled.game.system.variables:
        value = state.values[variable.name]
        for number in (value,) if isinstance(value, int) else value:
            now = held[place]
            if isinstance(now, dict):
                require(now.get(number, 0) in known, variable.name, place, number)
            elif variable.type == BOOL:
                require((now if number else -now) in known, variable.name, place, number)
            else:
                require(now == number, variable.name, place, number)
            place += 1


def _same_moves(options: Sequence[Option], legal: set[Instance], known: set[int], tally: Tally) -> list[int]:
    """A move is legal exactly if one of its actions is; an action without a move is not. Gives those that are not."""
    wrong: list[int] = []
    told: set[Instance] = set()
    for literal, move, guard in options:
        told.update(named for named, _ in move.members)
        if any(named in legal for named, _ in move.members):
            require(all(part in known for part in guard), move.members[0], "is legal")
        else:
            require(any(-part in known for part in guard), move.members[0], "is not legal")
            wrong.append(literal)
        tally.moves += 1
    require(legal <= told, legal - told, "legal and without a move")
    return wrong


def _same_score(compiled: Compiled, faces: tuple[int, ...], played: Played, score: int) -> None:
    for goal in (score, score + 1):
        unrolled = unrolling(compiled.system, faces, played.states[0], goal)
        for _ in played.actions:
            unrolled.step()
        try:
            met = Propagation(unrolled).follows(_told(unrolled, played.actions)) is not None
        except Differs:
            met = False
        require(met == (goal == score), score, goal)
