"""Places of the state from before a step to after it: what is written, and that nothing else changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import NamedTuple

from hanabi_formal.kernel.types import type_values
from hanabi_formal.sat.encode.exclusion import Exclusions
from hanabi_formal.sat.encode.gates import FALSE, TRUE, Cnf, PlaceValue, Value
from hanabi_formal.sat.encode.grounding import Grounder
from hanabi_formal.sat.encode.grouped_actions import GroundWrite, GroundWrites
from hanabi_formal.sat.encode.node_values import Evaluator, options
from hanabi_formal.sat.encode.nodes import GroundNode, MapPlaces

Conjunction = tuple[int, ...]
FEW_MOVES = 4
FEW_CLAUSES = 4
FEW_WRITERS = 8


class Old(NamedTuple):
    """A place (or a count, under a negative key) and its value before the step."""

    key: int
    value: Value
    is_truth: bool


class GuardedWrite(NamedTuple):
    """If the move is chosen and all conditions hold, the place gets that value."""

    move: int
    conditions: Conjunction
    value: Value


class WriteCollector:
    """Takes the writes of chosen moves apart by the places that their indices may name.

    A step that would leave a type is none.
    """

    def __init__(self, cnf: Cnf, grounder: Grounder) -> None:
        self._cnf = cnf
        self._tables = grounder.tables

    def collect(self, literal: int, writes: GroundWrites, at: Evaluator, found: dict[int, list[GuardedWrite]]) -> None:
        """The writes of the move with that literal, put to the places they may reach."""
        for write in writes:
            conditions: list[int] = []
            for node in write.conditions:
                conditions += [part for part in at.conjuncts(node) if part != TRUE]
            if FALSE in conditions:
                continue
            value = self._inside(literal, conditions, at, write)
            for place, more in self._places(self._tables[write.var], write.index, at):
                if place is None:
                    self._cnf.add([-literal, *(-part for part in (*conditions, *more))])
                else:
                    found.setdefault(place, []).append(GuardedWrite(literal, (*conditions, *more), value))

    def _inside(self, literal: int, conditions: list[int], at: Evaluator, write: GroundWrite) -> Value:
        value = at.value(write.value)
        if write.value.is_truth:
            return value
        inside = type_values(self._tables[write.var].type)
        if isinstance(value, int):
            if value not in inside:
                self._cnf.add([-literal, *(-part for part in conditions)])
            return value
        if all(key is not None and key in inside for key in value):
            return value
        for key, part in value.items():
            if key is None or key not in inside:
                self._cnf.add([-literal, *(-part for part in conditions), -part])
        return at.kept(value, {key: part for key, part in value.items() if key is not None and key in inside})

    def _places(
        self, table: MapPlaces, index: tuple[GroundNode, ...], at: Evaluator
    ) -> Iterator[tuple[int | None, tuple[int, ...]]]:
        for choice in product(*(options(at.value(node), node.is_truth) for node in index)):
            literals = tuple(literal for _, literal in choice if literal != TRUE)
            if FALSE not in literals:
                yield table.place(key for key, _ in choice), literals


class Part:
    """One part of a step: moves of which exactly one is chosen while the game is on."""

    def __init__(self, cnf: Cnf, moves: Sequence[int], live: int) -> None:
        self._cnf = cnf
        self.moves = moves
        self.live = live

    def one_of(self, moves: Sequence[int]) -> int:
        """Is one of these moves chosen? Either side of a set of moves will do. A move may be named twice."""
        moves = list(dict.fromkeys(moves))
        if len(moves) == len(self.moves):
            return self.live
        if 2 * len(moves) <= len(self.moves):
            return self._cnf.either(moves)
        inside = set(moves)
        return -self._cnf.either([*(move for move in self.moves if move not in inside), -self.live])


class Advance:
    """The places of one step, in two parts."""

    def __init__(self, cnf: Cnf, known: Exclusions, first: Part, step: int) -> None:
        self.cnf = cnf
        self.step = step
        self.known = known
        self.first = first
        self.second = first
        self.part = 1
        """The part that is being worked out: what a variable made now speaks of is what it leaves."""
        self.appeared: set[int] = set()
        """Literals for values that a place could not have before this step."""

    def _grouped(self, part: Part, writers: Sequence[GuardedWrite]) -> list[tuple[Conjunction, Value]]:
        """Writers with the same conditions and the same value taken together."""
        groups: dict[object, tuple[list[int], Conjunction, Value]] = {}
        for move, conditions, value in writers:
            key = (conditions, value if isinstance(value, int) else (id(value),))
            groups.setdefault(key, ([], conditions, value))[0].append(move)
        found: list[tuple[Conjunction, Value]] = []
        for moves, conditions, value in groups.values():
            if len(moves) <= 2:
                found += [((move, *conditions), value) for move in moves]
            else:
                found.append(((part.one_of(moves), *conditions), value))
        return self._merged(found) if len(found) > FEW_WRITERS else found

    def _merged(self, writers: list[tuple[Conjunction, Value]]) -> list[tuple[Conjunction, Value]]:
        """One literal for all that write the same, if they are many."""
        by_value: dict[object, list[tuple[Conjunction, Value]]] = {}
        for conjunction, value in writers:
            by_value.setdefault(value if isinstance(value, int) else (id(value),), []).append((conjunction, value))
        found: list[tuple[Conjunction, Value]] = []
        for several in by_value.values():
            if len(several) > FEW_WRITERS:
                one = self.cnf.either([self.cnf.both(conjunction) for conjunction, _ in several])
                found.append(((one,), several[0][1]))
            else:
                found += several
        return found

    def _always(self, writers: Sequence[GuardedWrite]) -> tuple[list[int], list[GuardedWrite]]:
        """Moves that write whatever the conditions, and the writers of the others."""
        several: dict[int, list[Conjunction]] = {}
        for move, conditions, _ in writers:
            several.setdefault(move, []).append(conditions)
        always = [
            move
            for move, found in several.items()
            if () in found or any(len(c) == 1 and (-c[0],) in found for c in found)
        ]
        inside = set(always)
        return always, [writer for writer in writers if writer.move not in inside]

    def _when_written(self, part: Part, writers: Sequence[GuardedWrite]) -> list[Conjunction]:
        """Conjunctions of which one holds exactly if one of the writers writes."""
        always, rest = self._always(writers)
        found: list[Conjunction] = [(move,) for move in always]
        if len(found) > FEW_MOVES:
            found = [(part.one_of(always),)]
        if len(rest) <= 2 * FEW_MOVES:
            return found + [(move, *conditions) for move, conditions, _ in rest]
        return found + [conjunction for conjunction, _ in self._grouped(part, rest)]

    def _covers(self, part: Part, writers: Sequence[GuardedWrite]) -> bool:
        return len(writers) >= len(part.moves) > 0 and len(self._always(writers)[0]) == len(part.moves)

    # ---- values --------------------------------------------------------------------------------
    def value(self, old: Old, first: Sequence[GuardedWrite], second: Sequence[GuardedWrite]) -> Value:
        """The value after the step, with all clauses that determine it. Where both parts write, the second counts."""
        if not first and not second:
            return old.value
        covered = self._covers(self.second, second)
        if covered:
            first = ()
        covered = covered or self._covers(self.first, first)
        before = {key: literal for key, literal in options(old.value, old.is_truth) if key is not None}
        values = [writer.value for writer in (*first, *second)]
        keys = {key for value in values for key, _ in options(value, old.is_truth) if key is not None}
        if not covered:
            keys |= before.keys()
        after = self._literals(sorted(keys), old)
        if isinstance(after, int):
            return after
        self.appeared.update(literal for key, literal in after.items() if key not in before)
        later = self._when_written(self.second, second)
        writers, later_writers = self._grouped(self.first, first), self._grouped(self.second, second)
        self._forward(old, later_writers, after, [])
        self._forward(old, writers, after, later)
        if not covered:
            self._frame(before, after, [*self._when_written(self.first, first), *later])
            self._explain(old, before, after, [*writers, *later_writers])
        if old.is_truth:
            return after[1]
        return {key: literal for key, literal in after.items()}  # noqa: C416

    def _literals(self, keys: list[int], old: Old) -> int | dict[int, int]:
        if len(keys) == 1:
            return (TRUE if keys[0] else FALSE) if old.is_truth else keys[0]
        if len(keys) == 2:
            one = self.cnf.new(PlaceValue(self.step, self.part, old.key, keys[1]))
            return {keys[0]: -one, keys[1]: one}
        found = {
            key: self.cnf.new(PlaceValue(self.step, self.part, old.key, key, tuple(keys[1:]) if key == keys[0] else ()))
            for key in keys
        }
        self.cnf.add(found.values())
        self.cnf.at_most_one(list(found.values()))
        return found

    def _forward(
        self, old: Old, writers: Iterable[tuple[Conjunction, Value]], after: dict[int, int], later: list[Conjunction]
    ) -> None:
        for conjunction, value in writers:
            overwritten = [other for other in later if not self.known.exclusive(conjunction, other)]
            base = [-literal for literal in conjunction]
            for key, literal in options(value, old.is_truth):
                if key is not None:
                    self._add([*base, -literal, after[key]], overwritten)

    def _frame(self, before: dict[int, int], after: dict[int, int], written: list[Conjunction]) -> None:
        """A value stays unless something is written."""
        facts = [self.known.facts(conjunction) for conjunction in written]
        for key, literal in before.items():
            possible = [
                tuple(part for part in conjunction if part != literal)
                for conjunction, known in zip(written, facts, strict=True)
                if not self.known.rules_out(conjunction, known, literal)
            ]
            self._add([-literal, after[key]], possible)

    def _explain(
        self, old: Old, before: dict[int, int], after: dict[int, int], writers: list[tuple[Conjunction, Value]]
    ) -> None:
        """A value that was not there was written. This follows from the rest, and is found sooner so."""
        for key, literal in after.items():
            causes = [c for c, value in writers if any(key == k for k, _ in options(value, old.is_truth))]
            if len(causes) > 1:
                causes = [cause[:1] for cause in causes]
            self._add([-literal, before.get(key, FALSE)], causes)

    def _add(self, clause: list[int], either: Sequence[Conjunction]) -> None:
        """A clause, or one of the conjunctions."""
        if () in either:
            return
        if prod(len(conjunction) for conjunction in either) > FEW_CLAUSES:
            either = [c if len(c) == 1 else (self.cnf.both(c),) for c in either]
        for choice in product(*either):
            self.cnf.add([*clause, *choice])

    def middle(self, old: Old, first: Sequence[GuardedWrite]) -> Value:
        """The value between the parts, as gates."""
        both = self.cnf.both
        found: dict[int | None, list[int]] = {}
        for conjunction, value in self._grouped(self.first, first):
            for key, literal in options(value, old.is_truth):
                found.setdefault(key, []).append(both((*conjunction, literal)))
        written = self._when_written(self.first, first)
        facts = [self.known.facts(conjunction) for conjunction in written]
        for key, literal in options(old.value, old.is_truth):
            possible = [
                both(conjunction)
                for conjunction, known in zip(written, facts, strict=True)
                if not self.known.rules_out(conjunction, known, literal)
            ]
            found.setdefault(key, []).append(both([literal, *(-part for part in possible)]))
        return self.cnf.joined(found, old.is_truth)


@dataclass
class BetweenParts:
    """The state between the parts. What the second part may write too is worked out only where it is read."""

    written: dict[int, Value]
    first: Mapping[int, Sequence[GuardedWrite]]
    old: Callable[[int], Old]
    places: Advance

    def read(self, entry: int) -> Value:
        found = self.written.get(entry)
        if found is None:
            old = self.old(entry)
            if entry not in self.first:
                return old.value
            found = self.written[entry] = self.places.middle(old, self.first[entry])
        return found
