"""Games that reach something, found by playing. Nothing is known of the game but its score, its ends and its actions.

Games differ in their deal and in temperament: how often a step is chosen at random instead of by its worth, which kinds
of action are liked, and whether points are sought, ignored or put off. A goal is a condition on states; the shortest game found that reaches it is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from hanabi_formal.prove.verdicts import Trace
from hanabi_formal.run.compile import Compiled, Dealt, Packed_State
from hanabi_formal.run.drivers import losing_distances

Goal = Callable[[Dealt, Packed_State], object]
MOST_STEPS = 2_000


@dataclass(frozen=True)
class Found:
    """How goals were reached, and how often each end came about."""

    traces: Mapping[str, Trace]
    ends: Mapping[int, int]
    games: int


class Explorer:
    def __init__(self, compiled: Compiled, seed: int = 7) -> None:
        self.compiled = compiled
        self._random = Random(seed)
        self._eager = 1
        self._distances = losing_distances(compiled)
        self._outcomes = [end.outcome for end in compiled.system.ends]
        deck = compiled.system.deck
        self._cards = [face for face, many in enumerate(deck.copies) for _ in range(many)] if deck else []

    def explore(self, goals: Mapping[str, Goal], games: int) -> Found:
        """Play until every goal was reached or the games are used up."""
        traces: dict[str, Trace] = {}
        ends: dict[int, int] = {}
        played = 0
        while played < games and len(traces) < len(goals):
            played += 1
            self._game({name: goal for name, goal in goals.items() if name not in traces}, traces, ends)
        return Found(traces, ends, played)

    def _game(self, goals: dict[str, Goal], traces: dict[str, Trace], ends: dict[int, int]) -> None:
        compiled, uniform = self.compiled, self._random.random
        faces = list(self._cards)
        self._random.shuffle(faces)
        dealt = compiled.deal(faces)
        state = compiled.start(dealt)
        deviation = (0.0, 0.02, 0.1, 0.3, 1.0)[int(uniform() * 5)]
        liking = {action.name: (0.05, 1.0, 1.0, 20.0)[int(uniform() * 4)] for action in compiled.system.actions}
        self._eager = (1, 1, 0, -1)[int(uniform() * 4)]
        path: list[tuple[str, tuple[int, ...]]] = []

        def look(state: Packed_State) -> None:
            for name in list(goals):
                if goals[name](dealt, state):
                    traces[name] = Trace(tuple(faces), tuple(path))
                    del goals[name]

        look(state)
        for _ in range(MOST_STEPS):
            codes = compiled.legal(dealt, state)
            if not codes:
                break
            code = self._choose(dealt, state, codes, deviation, liking)
            instance = compiled.decode(state, code)
            path.append((instance.action, instance.args))
            state = compiled.step(dealt, state, code)
            look(state)
        ends[compiled.ended(state)] = ends.get(compiled.ended(state), 0) + 1

    def _choose(
        self, dealt: Dealt, state: Packed_State, codes: object, deviation: float, liking: Mapping[str, float]
    ) -> int:
        compiled, uniform = self.compiled, self._random.random
        options = list(codes)  # type: ignore[call-overload]
        if uniform() < deviation:
            return int(options[int(uniform() * len(options))])
        best: tuple[int, int, int] | None = None
        among: list[int] = []
        for code in options:
            worth = self._worth(dealt, compiled.step(dealt, state, code))
            if best is None or worth > best:
                best, among = worth, []
            if worth == best:
                among.append(code)
        weights = [liking[compiled.decode(state, code).action] for code in among]
        return self._random.choices(among, weights)[0]

    def _worth(self, dealt: Dealt, state: Packed_State) -> tuple[int, int, int]:
        end = self.compiled.ended(state)
        rank = {"won": 1, "over": 0, "lost": -1}[self._outcomes[end - 1]] if end else 0
        points = self._eager * self.compiled.score(dealt, state) if self._eager else 0
        return rank, points, sum(abs(state[cell] - goal) for cell, goal in self._distances)


def replay(compiled: Compiled, trace: Trace) -> tuple[Dealt, Packed_State]:
    """The last state of a trace, by the executor and by the interpreter; they must agree at every step."""
    dealt = compiled.deal(list(trace.faces))
    state = compiled.start(dealt)
    snapshot = compiled.interpreter.start(trace.faces)
    for name, args in trace.actions:
        code = next(c for c in compiled.legal(dealt, state) if _is(compiled, state, c, name, args))
        state = compiled.step(dealt, state, code)
        snapshot = compiled.interpreter.step(snapshot, trace.faces, name, args).after
        if compiled.snapshot(state) != snapshot:
            raise RuntimeError("the executor and the interpreter disagree")
    return dealt, state


def _is(compiled: Compiled, state: Packed_State, code: int, name: str, args: tuple[int, ...]) -> bool:
    instance = compiled.decode(state, code)
    return instance.action == name and instance.args == args
