"""A game from one state on, step by step, as clauses.

At each step one move is chosen while the game is on. An end that misses the goal is forbidden at once, so after any
number of steps the clauses can be met exactly if some game of that length has not ended, or has ended with the goal.
What the state is after an end does not matter, and nothing is said of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hanabi_formal.kernel.types import BOOL
from hanabi_formal.sat.encode.advance import Advance, BetweenParts, GuardedWrite, Old, Part, WriteCollector
from hanabi_formal.sat.encode.counting import Counting
from hanabi_formal.sat.encode.exclusion import Exclusions
from hanabi_formal.sat.encode.gates import FALSE, TRUE, Chosen, Cnf, Value, packed
from hanabi_formal.sat.encode.grouped_actions import ActionGroup, GroundGame, GroundWrites
from hanabi_formal.sat.encode.node_values import Evaluator
from hanabi_formal.sat.encode.nodes import deep
from hanabi_formal.sat.encode.reach import Reach


class Option(NamedTuple):
    """A move, the literal that it is chosen, and those that are true together exactly if it is legal."""

    literal: int
    move: ActionGroup
    guard: list[int]


@dataclass(frozen=True)
class StepOptions:
    """What may be chosen at one step, and the literal that the game is on."""

    live: int
    options: tuple[Option, ...]


class EndStatus(NamedTuple):
    """Ends after a part of a step: whether none holds, given that the game was on."""

    goes_on: int
    held: tuple[int, ...]


class Unrolling:
    """Bounded unrolling: the clauses so far, and the value of each place (`state`) and of each count after them.

    What `state` and `counts` say means something only while the game is on.
    """

    def __init__(self, game: GroundGame, start: Sequence[int], goal: int) -> None:
        self.game = game
        self.cnf = Cnf()
        self.reach = Reach(game, start)
        self.choices: list[StepOptions] = []
        self.live = TRUE
        self._fixed: set[int] = set()
        grounder = game.grounder
        self._writes = WriteCollector(self.cnf, grounder)
        self._truths = [table.type == BOOL for table in grounder.places]
        self.state: list[Value] = [
            (TRUE if value else FALSE) if is_truth else value
            for value, is_truth in zip(start, self._truths, strict=True)
        ]
        self._goals = [grounder.reaches(end.score, goal) for end in game.ends]
        if all(node is grounder.false for node in self._goals):
            self.close(good=False)
        self._counting = Counting(grounder, self.cnf)
        self.counts = self._counting.completed({}, self.state)
        written_later = {grounder.tables[write.var] for move in game.moves for write in move.second}
        self._later = [table in written_later for table in grounder.places]

    def close(self, good: bool) -> None:
        """The game is over already."""
        if not good:
            self.cnf.add(())
        self.live = FALSE

    def step(self) -> None:
        """One step more."""
        if self.live == FALSE:
            self.choices.append(StepOptions(FALSE, ()))
            return
        with deep():
            self._step()

    def _step(self) -> None:
        cnf, before = self.cnf, self.state
        known = Exclusions(cnf, self.reach)
        for entry, value in enumerate(before):
            known.know(entry, value, self._truths[entry])
        for number, value in self.counts.items():
            known.know(-1 - number, value, False)
        start = Evaluator(self.game.grounder, cnf, before.__getitem__, self.counts)
        chosen = self._choose(start, known)
        self.choices.append(StepOptions(self.live, tuple(chosen)))
        if self.live == FALSE:
            return
        part = Part(cnf, [option.literal for option in chosen], self.live)
        places = Advance(cnf, known, part, len(self.choices) - 1)

        # ---- the first part, and the ends after it
        first: dict[int, list[GuardedWrite]] = {}
        for option in chosen:
            self._writes.collect(option.literal, option.move.first, start, first)
        counted = self._counting.after(self.counts, first, None, start, start, known)
        written = {
            entry: places.value(self._old(entry), writers, ())
            for entry, writers in first.items()
            if not self._later[entry]
        }
        counts = self._new_counts(counted, self.counts, places)
        middle = BetweenParts(dict(written), first, self._old, places)
        halfway = Evaluator(self.game.grounder, cnf, middle.read, counts)
        over = self._ends(halfway, self.live, False, (), places)
        after_first = self._second_parts(chosen, places.first, over.goes_on)
        places.second = Part(cnf, [literal for literal, _ in after_first], over.goes_on)
        places.part = 2

        # ---- the second part, and the ends after it
        second: dict[int, list[GuardedWrite]] = {}
        for literal, writes in after_first:
            self._writes.collect(literal, writes, halfway, second)
        counted = self._counting.after(counts, second, first, start, halfway, known)
        after = [written.get(entry, value) for entry, value in enumerate(before)]
        for entry in sorted({*second, *(entry for entry in first if self._later[entry])}):
            after[entry] = places.value(self._old(entry), first.get(entry, ()), second.get(entry, ()))
        counts = self._new_counts(counted, counts, places)
        final = Evaluator(self.game.grounder, cnf, after.__getitem__, counts)
        done = self._ends(final, over.goes_on, True, over.held, places)
        self.live = done.goes_on
        self.state = [self._pruned(value) for value in after]
        self.counts = {number: self._pruned(value) for number, value in counts.items()}
        self.counts = self._counting.completed(self.counts, self.state)

    # ---- moves ---------------------------------------------------------------------------------
    def _choose(self, start: Evaluator, known: Exclusions) -> list[Option]:
        """A literal for each move that may be legal now."""
        cnf = self.cnf
        possible: list[tuple[list[int], ActionGroup]] = []
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

    def _guard(self, move: ActionGroup, start: Evaluator) -> list[int] | None:
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

    def _second_parts(self, chosen: list[Option], first: Part, goes_on: int) -> list[tuple[int, GroundWrites]]:
        """Moves whose second parts do the same are one from there on, and only while the game goes on."""
        groups: dict[int, tuple[list[int], GroundWrites]] = {}
        for literal, move, _ in chosen:
            groups.setdefault(move.second_number, ([], move.second))[0].append(literal)
        there = Part(self.cnf, first.moves, goes_on)
        found: list[tuple[int, GroundWrites]] = []
        for moves, writes in groups.values():
            literal = there.one_of(moves)
            found.append((literal if goes_on == self.live else self.cnf.both((literal, goes_on)), writes))
        return found

    # ---- values ----------------------------------------------------------------------------------
    def _old(self, entry: int) -> Old:
        return Old(entry, self.state[entry], self._truths[entry])

    def _new_counts(
        self, writers: Mapping[int, list[GuardedWrite] | None], before: Mapping[int, Value], places: Advance
    ) -> dict[int, Value]:
        """Counts after a part; one that cannot be kept is left out, and counted anew where it is needed."""
        found: dict[int, Value] = {}
        for number, value in before.items():
            several = writers[number]
            if several is not None:
                found[number] = places.value(Old(-1 - number, value, False), several, ())
        return found

    # ---- ends ----------------------------------------------------------------------------------
    def _ends(self, at: Evaluator, live: int, late: bool, before: tuple[int, ...], places: Advance) -> EndStatus:
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
                    return EndStatus(FALSE, ())
                self._forbid(literal, live, places)
                continue
            if good != TRUE:
                self.cnf.add([-live, -literal, *held, good])
            held.append(literal)
        return EndStatus(self.cnf.both([live, *(-literal for literal in held)]), (*before, *held))

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
