"""Two games that a seat cannot tell apart, until it can, though nothing told it: found by playing both at once.

The deals differ in two cards that the seat does not see. The same actions are taken in both while its views agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from random import Random

from hanabi_formal.kernel.system import Property
from hanabi_formal.kernel.trace import Instance, Trace
from hanabi_formal.kernel.types import type_values
from hanabi_formal.prove.obligation import Obligation, ObligationKind
from hanabi_formal.prove.search.explorer import Explorer
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState
from hanabi_formal.run.faults import Fault

GAMES = 60
PAIRS = 6
LOOKS = 600
"""How many steps the interpreter may explain."""

Facts = frozenset[object]
ALIKE = Obligation.of(ObligationKind.STAYS_ALIKE)
KNOWN = Obligation.of(ObligationKind.LEGAL_IS_KNOWN)


@dataclass(frozen=True)
class Unlike:
    """A game, and what the seat would have seen with two cards exchanged."""

    trace: Trace
    detail: str


@dataclass
class _Pair:
    """Two games side by side."""

    dealt: tuple[Dealt, Dealt]
    states: tuple[PackedState, PackedState]
    seat: int
    before: str  # what was exchanged, for a reader

    def sides(self) -> Iterator[tuple[Dealt, PackedState]]:
        return zip(self.dealt, self.states, strict=True)


class TwinGames:
    """Looks for refutations of what `Information` asks; `told` are the properties of what actions reveal."""

    def __init__(self, compiled: Compiled, told: Mapping[Obligation, Property], seed: int = 7) -> None:
        self.compiled = compiled
        self.told = told
        self._random = Random(seed)
        self._explorer = Explorer(compiled, seed)
        self._looks = LOOKS
        view = compiled.system.view
        assert view is not None
        self._seats = type_values(view.seat.type)

    def search(self, wanted: frozenset[Obligation], games: int = GAMES) -> dict[Obligation, Unlike]:
        found: dict[Obligation, Unlike] = {}
        for game in self._explorer.games(games):
            for pair in self._pairs(game):
                with suppress(Fault):
                    for one, unlike in self._compare(game, pair):
                        found.setdefault(one, unlike)
                if wanted <= found.keys() or self._looks <= 0:
                    return found
        return found

    def _pairs(self, game: Trace) -> Iterator[_Pair]:
        cards = len(game.faces)
        for _ in range(PAIRS if cards > 1 else 0):
            # Early cards come into play more often.
            one = min(int(self._random.random() * cards), int(self._random.random() * cards))
            other = int(self._random.random() * cards)
            if game.faces[one] == game.faces[other]:
                continue
            faces = list(game.faces)
            faces[one], faces[other] = faces[other], faces[one]
            dealt = self.compiled.deal(list(game.faces)), self.compiled.deal(faces)
            seat = self._random.choice(self._seats)
            before = f"with cards {one} and {other} exchanged seat {seat} sees the same"
            try:
                states = self.compiled.start(dealt[0]), self.compiled.start(dealt[1])
            except Fault:
                continue
            yield _Pair(dealt, states, seat, before)

    def _compare(self, game: Trace, pair: _Pair) -> Iterator[tuple[Obligation, Unlike]]:
        """Play on while the seat sees the same. All see whether the game has ended."""
        compiled = self.compiled
        if not self._alike(pair) or compiled.ended(pair.states[0]) != compiled.ended(pair.states[1]):
            return
        for number, (name, args) in enumerate(game.actions):
            if self._acts(pair.states[0]) == self._acts(pair.states[1]) == pair.seat:
                mine, theirs = (self._legal(*side) for side in pair.sides())
                if mine != theirs:
                    action, values = sorted(mine ^ theirs)[0]
                    shown = " ".join([action, *map(str, values)])
                    detail = f"{pair.before}, but `{shown}` is legal in one game only"
                    yield KNOWN, Unlike(Trace(game.faces, game.actions[:number]), detail)
                    return
            trace = Trace(game.faces, game.actions[: number + 1])
            codes = [compiled.encode(*side, Instance(name, args)) for side in pair.sides()]
            if codes[0] is None or codes[1] is None:
                return
            a = compiled.step(pair.dealt[0], pair.states[0], codes[0])
            b = compiled.step(pair.dealt[1], pair.states[1], codes[1])
            if compiled.ended(a) != compiled.ended(b):
                return
            yield from self._explained(name, args, pair, trace)
            revealed, pair = pair, _Pair(pair.dealt, (a, b), pair.seat, pair.before)
            if self._alike(pair):
                if compiled.ended(a):
                    return
                continue
            told = [self._revealed(*side, name, args, pair.seat) for side in revealed.sides()]
            if told[0] == told[1]:
                detail = f"{pair.before} until the last action, is told the same by it, and then sees something else"
                yield ALIKE, Unlike(trace, detail)
            return

    def _explained(
        self, name: str, args: tuple[int, ...], pair: _Pair, trace: Trace
    ) -> Iterator[tuple[Obligation, Unlike]]:
        """Does the action reveal exactly what it is said to?"""
        for one, prop in self.told.items():
            if prop.told is not None and prop.told.action == name:
                told = [self._revealed(*side, name, args, pair.seat) for side in pair.sides()]
                said = [self._said(prop, args, *side) for side in pair.sides()]
                if (said[0] == said[1]) != (told[0] == told[1]):
                    what = "more" if said[0] == said[1] else "less"
                    detail = f"{pair.before} until the last action, which reveals {what} than it should"
                    yield one, Unlike(trace, detail)

    # ---- reading one game ------------------------------------------------------------------------
    def _alike(self, pair: _Pair) -> bool:
        a, b = (self.compiled.view(*side, pair.seat) for side in pair.sides())
        return a == b

    def _acts(self, state: PackedState) -> object:
        actor = self.compiled.system.actor
        return None if actor is None else self.compiled.snapshot(state).values[actor]

    def _legal(self, dealt: Dealt, state: PackedState) -> frozenset[Instance]:
        return frozenset(self.compiled.decode(state, code) for code in self.compiled.legal(dealt, state))

    def _revealed(self, dealt: Dealt, state: PackedState, name: str, args: tuple[int, ...], seat: int) -> Facts:
        self._looks -= 1
        step = self.compiled.interpreter.step(self.compiled.snapshot(state), tuple(dealt[0]), Instance(name, args))
        return frozenset((id(f.expr), f.binding, f.value) for to, f in step.revealed if to is None or to == seat)

    def _said(self, prop: Property, args: tuple[int, ...], dealt: Dealt, state: PackedState) -> Facts:
        assert prop.told is not None
        interpreter = self.compiled.interpreter
        scene = interpreter.scene(self.compiled.snapshot(state), tuple(dealt[0]))
        scene.locals.update((param.name, value) for param, value in zip(prop.params, args, strict=True))
        return frozenset(
            (binding, *(interpreter.evaluate(fact, scene) for fact in prop.exprs))
            for binding in interpreter.bindings(prop.told.binders, scene)
            if interpreter.evaluate(prop.told.where, scene)
        )
