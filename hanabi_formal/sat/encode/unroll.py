"""A game from one state on, step by step, as clauses.

At each step one move is chosen while the game is on. An end that misses the goal is forbidden at once, so after any
number of steps the clauses can be met exactly if some game of that length has not ended, or has ended with the goal.
What the state is after an end does not matter, and nothing is said of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from hanabi_formal.kernel.types import BOOL, type_values
from hanabi_formal.sat.encode.advance import Advance, Old, Part, Writer
from hanabi_formal.sat.encode.counting import Counting
from hanabi_formal.sat.encode.exclusion import Exclusions
from hanabi_formal.sat.encode.gates import FALSE, TRUE, Cnf, Value, packed
from hanabi_formal.sat.encode.grouped_actions import GroundGame, Move, Write, Writes
from hanabi_formal.sat.encode.legend import Chosen
from hanabi_formal.sat.encode.node_values import Evaluator, options
from hanabi_formal.sat.encode.nodes import Node, Table, deep
from hanabi_formal.sat.encode.reach import Reach


class Option(NamedTuple):
    """A move, the literal that it is chosen, and those that are true together exactly if it is legal."""

    literal: int
    move: Move
    guard: list[int]


@dataclass(frozen=True)
class Choice:
    """What may be chosen at one step, and the literal that the game is on."""

    live: int
    options: tuple[Option, ...]


class Verdict(NamedTuple):
    """Ends after a part of a step: whether none holds, given that the game was on."""

    goes_on: int
    held: tuple[int, ...]


class Unrolling:
    def __init__(self, game: GroundGame, start: Sequence[int], goal: int) -> None:
        self.game = game
        self.cnf = Cnf()
        self.reach = Reach(game, start)
        self.choices: list[Choice] = []
        self.live = TRUE
        self._fixed: set[int] = set()
        grounder = game.grounder
        self._tables: list[Table] = []
        for table in grounder.tables.values():
            self._tables += [table] * table.size
        self._truths = [table.type == BOOL for table in self._tables]
        self._state: list[Value] = [
            (TRUE if value else FALSE) if is_truth else value
            for value, is_truth in zip(start, self._truths, strict=True)
        ]
        self._goals = [grounder.reaches(end.score, goal) for end in game.ends]
        if all(node is grounder.false for node in self._goals):
            self.close(good=False)
        self._counting = Counting(grounder, self.cnf)
        self._counts = self._counting.completed({}, self._state)
        later = {write.var for move in game.moves for write in move.second}
        self._later = [False] * len(self._tables)
        for name in later:
            table = grounder.tables[name]
            self._later[table.first : table.first + table.size] = [True] * table.size

    @property
    def state(self) -> list[Value]:
        """The value at each place after the last step; it means something only while the game is on."""
        return list(self._state)

    @property
    def counts(self) -> dict[int, Value]:
        """The same of the counts that are kept, by the numbers of their nodes."""
        return dict(self._counts)

    def close(self, good: bool) -> None:
        """The game is over already."""
        if not good:
            self.cnf.add(())
        self.live = FALSE

    def step(self) -> None:
        """One step more."""
        if self.live == FALSE:
            self.choices.append(Choice(FALSE, ()))
            return
        with deep():
            self._step()

    def _step(self) -> None:
        cnf, before = self.cnf, self._state
        known = Exclusions(cnf, self.reach)
        for entry, value in enumerate(before):
            known.know(entry, value, self._truths[entry])
        for number, value in self._counts.items():
            known.know(-1 - number, value, False)
        start = Evaluator(self.game.grounder, cnf, before.__getitem__, self._counts)
        chosen = self._choose(start, known)
        self.choices.append(Choice(self.live, tuple(chosen)))
        if self.live == FALSE:
            return
        part = Part(cnf, [option.literal for option in chosen], self.live)
        places = Advance(cnf, known, part, len(self.choices) - 1)

        # ---- the first part, and the ends after it
        first: dict[int, list[Writer]] = {}
        for option in chosen:
            self._collect(option.literal, option.move.first, start, first)
        counted = self._counting.after(self._counts, first, None, start, start, known)
        written = {
            entry: places.value(self._old(entry), writers, ())
            for entry, writers in first.items()
            if not self._later[entry]
        }
        counts = self._new_counts(counted, self._counts, places)
        middle = _Middle(self, written, first, places)
        halfway = Evaluator(self.game.grounder, cnf, middle.read, counts)
        over = self._ends(halfway, self.live, False, (), places)
        after_first = self._second_parts(chosen, places.first, over.goes_on)
        places.second = Part(cnf, [literal for literal, _ in after_first], over.goes_on)
        places.part = 2

        # ---- the second part, and the ends after it
        second: dict[int, list[Writer]] = {}
        for literal, writes in after_first:
            self._collect(literal, writes, halfway, second)
        counted = self._counting.after(counts, second, first, start, halfway, known)
        after = [written.get(entry, value) for entry, value in enumerate(before)]
        for entry in sorted({*second, *(entry for entry in first if self._later[entry])}):
            after[entry] = places.value(self._old(entry), first.get(entry, ()), second.get(entry, ()))
        counts = self._new_counts(counted, counts, places)
        final = Evaluator(self.game.grounder, cnf, after.__getitem__, counts)
        done = self._ends(final, over.goes_on, True, over.held, places)
        self.live = done.goes_on
        self._state = [self._pruned(value) for value in after]
        self._counts = {number: self._pruned(value) for number, value in counts.items()}
        self._counts = self._counting.completed(self._counts, self._state)

    # ---- moves ---------------------------------------------------------------------------------
    def _choose(self, start: Evaluator, known: Exclusions) -> list[Option]:
        """A literal for each move that may be legal now."""
        cnf = self.cnf
        possible: list[tuple[list[int], Move]] = []
        for move in self.game.moves:
            guard = self._guard(move, start)
            if guard is not None:
                possible.append((guard, move))
        if not possible:
            cnf.add([-self.live])
            self.live = FALSE
            return []
        chosen: list[Option] = []
        for guard, move in possible:
            means = Chosen(len(self.choices), len(chosen))
            literal = self.live if len(possible) == 1 and self.live != TRUE else cnf.new(means)
            chosen.append(Option(literal, move, guard))
            known.know_move(literal, guard)
            for part in guard:
                cnf.add((-literal, part))
            if literal != self.live:
                cnf.add((-literal, self.live))
        cnf.add((-self.live, *(option.literal for option in chosen)))
        cnf.at_most_one([option.literal for option in chosen])
        return chosen

    def _guard(self, move: Move, start: Evaluator) -> list[int] | None:
        """Literals that are true together exactly if one of the actions is legal; None if none can be."""
        several: dict[tuple[int, ...], None] = {}
        for _, node in move.members:
            parts = start.conjuncts(node)
            if FALSE in parts:
                continue
            several[tuple(sorted({part for part in parts if part != TRUE}))] = None
        if not several:
            return None
        if len(several) == 1:
            return list(next(iter(several)))
        found = self.cnf.either([self.cnf.both(parts) for parts in several])
        return [] if found == TRUE else [found]

    def _second_parts(self, chosen: list[Option], first: Part, goes_on: int) -> list[tuple[int, Writes]]:
        """Moves whose second parts do the same are one from there on, and only while the game goes on."""
        groups: dict[int, tuple[list[int], Writes]] = {}
        for literal, move, _ in chosen:
            groups.setdefault(move.second_number, ([], move.second))[0].append(literal)
        there = Part(self.cnf, first.moves, goes_on)
        found: list[tuple[int, Writes]] = []
        for moves, writes in groups.values():
            literal = there.one_of(moves)
            found.append((literal if goes_on == self.live else self.cnf.both((literal, goes_on)), writes))
        return found

    # ---- writes --------------------------------------------------------------------------------
    def _collect(self, literal: int, writes: Writes, at: Evaluator, found: dict[int, list[Writer]]) -> None:
        """What a move writes where, and under which conditions. A step that would leave a type is none."""
        for write in writes:
            conditions: list[int] = []
            for node in write.conditions:
                conditions += [part for part in at.conjuncts(node) if part != TRUE]
            if FALSE in conditions:
                continue
            value = self._inside(literal, conditions, at, write)
            table = self.game.grounder.tables[write.var]
            for place, more in self._places(table, write.index, at):
                if place is None:
                    self.cnf.add([-literal, *(-part for part in (*conditions, *more))])
                else:
                    found.setdefault(place, []).append(Writer(literal, (*conditions, *more), value))

    def _inside(self, literal: int, conditions: list[int], at: Evaluator, write: Write) -> Value:
        value = at.value(write.value)
        if write.value.is_truth:
            return value
        inside = type_values(self.game.grounder.tables[write.var].type)
        if isinstance(value, int):
            if value not in inside:
                self.cnf.add([-literal, *(-part for part in conditions)])
            return value
        if all(key is not None and key in inside for key in value):
            return value
        for key, part in value.items():
            if key is None or key not in inside:
                self.cnf.add([-literal, *(-part for part in conditions), -part])
        return at.kept(value, {key: part for key, part in value.items() if key is not None and key in inside})

    def _places(
        self, table: Table, index: tuple[Node, ...], at: Evaluator
    ) -> Iterator[tuple[int | None, tuple[int, ...]]]:
        for choice in product(*(options(at.value(node), node.is_truth) for node in index)):
            literals = tuple(literal for _, literal in choice if literal != TRUE)
            if FALSE not in literals:
                yield table.place(key for key, _ in choice), literals

    def _old(self, entry: int) -> Old:
        return Old(entry, self._state[entry], self._truths[entry])

    def _new_counts(
        self, writers: Mapping[int, list[Writer] | None], before: Mapping[int, Value], places: Advance
    ) -> dict[int, Value]:
        """Counts after a part; one that cannot be kept is left out, and counted anew where it is needed."""
        found: dict[int, Value] = {}
        for number, value in before.items():
            several = writers[number]
            if several is not None:
                found[number] = places.value(Old(-1 - number, value, False), several, ())
        return found

    # ---- ends ----------------------------------------------------------------------------------
    def _ends(self, at: Evaluator, live: int, late: bool, before: tuple[int, ...], places: Advance) -> Verdict:
        """Forbid the ends that miss the goal. `before` are ends known not to hold."""
        held: list[int] = []
        for end, goal in zip(self.game.ends, self._goals, strict=True):
            if end.late and not late:
                continue
            literal = at.truth(end.condition)
            if literal == FALSE or literal in before:
                continue
            good = at.truth(goal)
            if good == FALSE and not held:
                if literal == TRUE:
                    self.cnf.add([-live])
                    return Verdict(FALSE, ())
                self._forbid(literal, live, places)
                continue
            if good != TRUE:
                self.cnf.add([-live, -literal, *held, good])
            held.append(literal)
        return Verdict(self.cnf.both([live, *(-literal for literal in held)]), (*before, *held))

    def _forbid(self, literal: int, live: int, places: Advance) -> None:
        """A value that only this step could bring is gone altogether, if no game can be over by now: one that was won
        before, or by the first part of this step, may have the value all the same."""
        if live == TRUE and literal in places.appeared:
            self.cnf.add([-literal])
            self._fixed.add(literal)
        else:
            self.cnf.add([-live, -literal])

    def _pruned(self, value: Value) -> Value:
        if isinstance(value, int):
            return value
        return packed({key: literal for key, literal in value.items() if literal not in self._fixed})


class _Middle:
    """The state between the parts. What the second part may write too is worked out only where it is read."""

    def __init__(
        self, unrolling: Unrolling, written: dict[int, Value], first: dict[int, list[Writer]], places: Advance
    ) -> None:
        self._unrolling = unrolling
        self._written = dict(written)
        self._first = first
        self._places = places

    def read(self, entry: int) -> Value:
        found = self._written.get(entry)
        if found is None:
            old = self._unrolling._old(entry)
            if entry not in self._first:
                return old.value
            found = self._written[entry] = self._places.middle(old, self._first[entry])
        return found
