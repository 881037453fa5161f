"""What can be where, whatever was done: what each place may hold, for each value of a variable that indices use.

Everything else is taken as unknown, so this holds in every state of every game from the first one on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

from hanabi_formal.kernel.types import BOOL, type_values
from hanabi_formal.sat.encode.gates import FALSE, OPEN, TRUE, TernaryGates, Value
from hanabi_formal.sat.encode.grouped_actions import GroundGame, GroundWrites
from hanabi_formal.sat.encode.node_values import Evaluator, options

PossibleValues = frozenset[int]
PlaceContents = list[PossibleValues]


def pivot_of(game: GroundGame) -> int | None:
    """The place that most indices are made of, if there is one."""
    found: Counter[int] = Counter()
    for move in game.moves:
        for write in (*move.first, *move.second):
            for node in write.index:
                if node.kind != "lit" and node.reads is not None and len(node.reads) == 1:
                    found.update(node.reads)
    return min(found, key=lambda entry: (-found[entry], entry)) if found else None


@dataclass
class _Arrival:
    """All that arrives at one value of the pivot: how many moves, and what they write."""

    moves: int = 0
    written: dict[int, list[PossibleValues]] = field(default_factory=dict)


class Reach:
    """`held[d][entry]`: what a place may hold while the pivot is d."""

    def __init__(self, game: GroundGame, start: Sequence[int]) -> None:
        self.game = game
        self.pivot = pivot_of(game)
        self.held: dict[int, PlaceContents] = {}
        self._places = game.grounder.places
        if self.pivot is None:
            return
        first = [
            frozenset(type_values(table.type)) if not table.shape and entry != self.pivot else frozenset((value,))
            for entry, (table, value) in enumerate(zip(self._places, start, strict=True))
        ]
        self.held[start[self.pivot]] = first
        waiting = [start[self.pivot]]
        while waiting:
            now = min(waiting)
            waiting.remove(now)
            for value, arrival in self._after(now).items():
                if self._join(now, value, arrival) and value not in waiting:
                    waiting.append(value)

    def excludes(self, pivot_value: int, entry: int, value: int) -> bool:
        held = self.held.get(pivot_value)
        return held is None or value not in held[entry]

    def _join(self, source: int, value: int, arrival: _Arrival) -> bool:
        before = self.held[source]
        known = self.held.get(value)
        state = list(known) if known is not None else [frozenset()] * len(before)
        assert self.pivot is not None
        for entry, held in enumerate(before):
            written = arrival.written.get(entry, ())
            more = frozenset().union(*written) if len(written) == arrival.moves else held.union(*written)
            if not more <= state[entry]:
                state[entry] = state[entry] | more
        state[self.pivot] = frozenset((value,))
        self.held[value] = state
        return state != known

    def _value(self, entry: int, held: PossibleValues) -> Value:
        if self._places[entry].type == BOOL:
            return OPEN if len(held) == 2 else (TRUE if 1 in held else FALSE)
        return next(iter(held)) if len(held) == 1 else dict.fromkeys(sorted(held), OPEN)

    def _after(self, now: int) -> dict[int, _Arrival]:
        grounder, gates = self.game.grounder, TernaryGates()
        before = [self._value(entry, held) for entry, held in enumerate(self.held[now])]
        start = Evaluator(grounder, gates, before.__getitem__)
        found: dict[int, _Arrival] = {}
        for move in self.game.moves:
            if all(start.truth(guard) == FALSE for _, guard in move.members):
                continue
            middle = self._written(move.first, start, self.held[now], {})
            if middle and move.second:
                changed = {entry: self._value(entry, held) for entry, held in middle.items()}
                evaluator = Evaluator(grounder, gates, lambda e, c=changed: c[e] if e in c else before[e])  # type: ignore[misc]
            else:
                evaluator = start
            after = self._written(move.second, evaluator, self.held[now], middle)
            assert self.pivot is not None
            for value in after.get(self.pivot, self.held[now][self.pivot]):
                arrival = found.setdefault(value, _Arrival())
                arrival.moves += 1
                for entry, held in after.items():
                    arrival.written.setdefault(entry, []).append(held)
        return found

    def _written(
        self, writes: GroundWrites, evaluator: Evaluator, before: PlaceContents, middle: dict[int, PossibleValues]
    ) -> dict[int, PossibleValues]:
        """What the writes may leave where they write, on top of what was written before."""
        found = dict(middle)
        fresh: dict[int, PossibleValues] = {}
        for write in writes:
            sure = min((evaluator.truth(node) for node in write.conditions), key=lambda t: (t == TRUE, t), default=TRUE)
            if any(evaluator.truth(node) == FALSE for node in write.conditions):
                continue
            table = self.game.grounder.tables[write.var]
            inside = type_values(table.type)
            value = evaluator.value(write.value)
            possible = (key for key, _ in options(value, write.value.is_truth))
            held = frozenset(key for key in possible if key is not None and key in inside)
            several = [options(evaluator.value(node), node.is_truth) for node in write.index]
            for choice in product(*several):
                entry = table.place(key for key, _ in choice)
                if entry is None:
                    continue
                if sure == TRUE and all(literal == TRUE for _, literal in choice):
                    found[entry] = fresh[entry] = held
                else:
                    old = fresh[entry] if entry in fresh else found.get(entry, before[entry])
                    found[entry] = fresh[entry] = old | held
        return found
