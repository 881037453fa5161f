"""A second opinion on the encoder, for the deal at hand: every game meets the clauses, as one naive step shows.

A game here is any sequence of steps, none at fault, that is still on or has ended with the goal. The legend gives every
variable of the clauses a value in every game; by induction over the steps, all clauses are true then:

- the hypothesis: while the game is on, the literals of a state say what that state is; once it is over, they say
  something, whatever it be;
- the step: one of the rules as `naive.py` has it, made once for the deal, from a state of which nothing else is known
  but that no end holds.
  Every clause of the step is true, and the literals of the next state say what that state is.

A solver finds that nothing of this can be false. So what has to be right is `naive.py`, this module and the solver, and
no longer how the clauses were made few. The legend need not be: if it is wrong, some clause is false in some game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hanabi_formal.kernel.depends import restrict
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.types import BOOL, type_values
from hanabi_formal.run.interpret import Snapshot
from hanabi_formal.sat.encode.gates import Among, Chosen, PlaceValue, TernaryGates, Value
from hanabi_formal.sat.encode.node_values import Evaluator
from hanabi_formal.sat.encode.nodes import GroundNode
from hanabi_formal.sat.formula import Formula, unrolling
from naive_encoder.naive import FALSE, TRUE, Number, OneStep, State


class Unconfirmed(Exception):
    """A game that the clauses forbid, or of which they say something false: the encoder is at fault."""


def confirmed(system: System, faces: Sequence[int], state: Snapshot, goal: int, horizon: int) -> Formula:
    """The clauses of `formula.cnf`, every one of them shown to be met by every game.

    Raises `Unconfirmed` if one is not, and `naive.TooLarge` if that cannot be told.
    """
    found = Confirmation(system, tuple(faces), state, goal)
    for _ in range(horizon):
        found.step()
    unrolled = found.unrolled
    return Formula(unrolled.cnf.variables, unrolled.cnf.clauses, horizon, unrolled.choices)


@dataclass(frozen=True)
class Description:
    """What the literals after so many steps say: whether the game is on, the places of the state, the counts."""

    live: int
    state: list[Value]
    counts: dict[int, Value]


class Confirmation:
    """An unrolling, confirmed step by step."""

    def __init__(self, system: System, faces: tuple[int, ...], start: Snapshot, goal: int) -> None:
        from pysat.solvers import Cadical195

        self.unrolled = unrolling(system, faces, start, goal)
        self.described = [self._now()]
        self.clauses = 0
        self._ghosts: dict[int, Number] = {}
        self._counts: dict[tuple[int, str], Number] = {}
        self._solver: Any = Cadical195()
        self._told = 0
        if start.end:
            return  # there is no step to come
        self.naive = OneStep(restrict(system), faces, start, goal)
        self.places = list(self.naive.kinds)
        if self.unrolled.live == FALSE:
            self._out_of_reach()
            return
        self._start(start)
        self._believe()

    def _start(self, start: Snapshot) -> None:
        """The literals of the first state say what it is, and what is believed of all states is true of it."""
        values: list[int] = []
        for variable in self.naive.system.variables:
            value = start.values[variable.name]
            values += [value] if isinstance(value, int) else value
        known = _Meanings(self, 0).facts
        facts = [self.naive.before[place][value] for place, value in zip(self.places, values, strict=True)]
        self._refute([("the first state", -fact) for fact in known], [*facts, self.naive.on], "start")
        pivot = self.unrolled.reach.pivot
        if pivot is not None and any(self.unrolled.reach.excludes(values[pivot], *held) for held in enumerate(values)):
            raise Unconfirmed("start", "the first state is believed not to be reached")

    def _out_of_reach(self) -> None:
        """Nothing was unrolled: no end has such a score, in any state."""
        reached = self.naive.reached(self.naive.before)
        self._refute([("an end with the goal", reached)], [], "start")

    def _now(self) -> Description:
        return Description(self.unrolled.live, self.unrolled.state, self.unrolled.counts)

    def count(self, number: int, when: str) -> Number:
        """How many of the conditions of a count hold: `before` the step, `between` its parts, `after` it."""
        if (number, when) not in self._counts:
            state: State = {"before": self.naive.before, "between": self.naive.between, "after": self.naive.state}[when]
            both, either = self.naive.both, self.naive.either
            sums: Number = {0: TRUE}
            for arg in self.unrolled.game.grounder.nodes[number].args:
                assert arg.reads is not None
                (entry,) = arg.reads
                place = self.places[entry]
                is_truth = self.naive.kinds[place] == BOOL
                values = [v for v in state[place] if self._holds(arg, (TRUE if v else FALSE) if is_truth else v)]
                here = either(state[place][v] for v in values)
                sums = {
                    n: either((both((sums.get(n, FALSE), -here)), both((sums.get(n - 1, FALSE), here))))
                    for n in range(len(sums) + 1)
                }
            self._counts[number, when] = {n: literal for n, literal in sums.items() if literal != FALSE}
        return self._counts[number, when]

    def _holds(self, node: GroundNode, value: int) -> bool:
        return Evaluator(self.unrolled.game.grounder, TernaryGates(), lambda _: value).truth(node) == TRUE

    def ghost(self, number: int) -> Number:
        """A count as the literals have it: what it is while the game is on, anything once it is over."""
        if number not in self._ghosts:
            many = len(self.unrolled.game.grounder.nodes[number].args) + 1
            self._ghosts[number] = found = {n: self.naive.new() for n in range(many)}
            self.naive.exactly_one(found.values())
            real = self.count(number, "before")
            for n, literal in found.items():
                self.naive.add(-self.naive.on, -literal, real.get(n, FALSE))
        return self._ghosts[number]

    # ---- what is believed of all states ----------------------------------------------------------
    def _believe(self) -> None:
        """Shown to be kept by every step, then known of the state before it."""
        reach = self.unrolled.reach
        if reach.pivot is None:
            return
        pivot, wrong = self.places[reach.pivot], []
        known: list[tuple[int, ...]] = []
        for value in type_values(self.naive.kinds[pivot]):
            for entry, place in enumerate(self.places):
                for held in type_values(self.naive.kinds[place]):
                    if entry != reach.pivot and reach.excludes(value, entry, held):
                        before = (-self.naive.before[pivot][value], -self.naive.before[place][held])
                        known.append((-self.naive.on, *before))
                        after = (self.naive.state[pivot].get(value, FALSE), self.naive.state[place].get(held, FALSE))
                        wrong.append(("what is believed", self.naive.both((self.naive.live, *after))))
        for clause in known:
            self.naive.add(*clause)
        self._refute(wrong, [self.naive.on], "reach")

    # ---- steps -----------------------------------------------------------------------------------
    def step(self) -> None:
        """One step more; raises `Unconfirmed` if one of its clauses is false in some game."""
        k, many = len(self.unrolled.choices), len(self.unrolled.cnf.clauses)
        if self.unrolled.live == FALSE:
            self.unrolled.step()
            return
        self.unrolled.step()
        self.described.append(self._now())
        clauses = self.unrolled.cnf.clauses[many:]
        meanings = _Meanings(self, k)
        wrong = [*meanings.false_clauses(clauses), *meanings.misdescribed()]
        self._refute(wrong, meanings.facts, k)
        self.clauses += len(clauses)

    def _refute(self, wrong: Iterable[tuple[str, int]], facts: Sequence[int], where: object) -> None:
        """None of what would be wrong is possible, given the facts."""
        possible = [(what, literal) for what, literal in wrong if literal != FALSE]
        asked = self.naive.new()
        self.naive.add(-asked, *(literal for _, literal in possible))
        for clause in self.naive.clauses[self._told :]:
            self._solver.add_clause(clause)
        self._told = len(self.naive.clauses)
        if self._solver.solve(assumptions=[asked, *facts]):
            model = set(self._solver.get_model())
            raise Unconfirmed(where, next(what for what, literal in possible if literal in model or literal == TRUE))


class _Meanings:
    """The variables of the clauses at one step, as literals of the naive step."""

    def __init__(self, law: Confirmation, step: int) -> None:
        self._law = law
        self._naive = law.naive
        self._step = step
        self._known: dict[int, int] = {TRUE: TRUE}
        self.facts: list[int] = []
        now = law.described[step]
        self._bind(now.live, self._naive.on)
        for place, value in zip(law.places, now.state, strict=True):
            self._describe(value, self._naive.before[place], self._naive.kinds[place] == BOOL)
        for number, value in now.counts.items():
            self._describe(value, law.ghost(number), False)

    def _describe(self, value: Value, held: Number, is_truth: bool) -> None:
        if is_truth:
            assert isinstance(value, int)
            self._bind(value, held[1])
        elif isinstance(value, int):
            self.facts.append(held.get(value, FALSE))
        else:
            for key, literal in value.items():
                assert key is not None
                self._bind(literal, held.get(key, FALSE))
            self.facts += [-literal for key, literal in held.items() if key not in value]

    def _bind(self, literal: int, meaning: int) -> None:
        meaning = meaning if literal > 0 else -meaning
        known = self._known.setdefault(abs(literal), meaning)
        if known != meaning:
            same = self._naive.either((self._naive.both((known, meaning)), self._naive.both((-known, -meaning))))
            self.facts.append(same)

    def of(self, literal: int) -> int:
        found = self._known.get(abs(literal))
        if found is None:
            found = self._known[abs(literal)] = self._make(abs(literal))
        return found if literal > 0 else -found

    def _make(self, variable: int) -> int:
        cnf, naive = self._law.unrolled.cnf, self._naive
        if variable in cnf.gates:
            return naive.both([self.of(part) for part in cnf.gates[variable]])
        match cnf.legend[variable]:
            case Among(literals):
                return naive.either([self.of(literal) for literal in literals])
            case Chosen(step, option) if step == self._step:
                members = self._law.unrolled.choices[step].options[option].move.members
                return naive.either(naive.actions[0].get(named, FALSE) for named, _ in members)
            case PlaceValue(step, part, key, value, others) if step == self._step:
                after = self._after(part, key)
                if others:
                    return -naive.either(after.get(other, FALSE) for other in others)
                return after.get(value, FALSE)
        return naive.new()  # nothing is known any more of what an earlier state was

    def _after(self, part: int, key: int) -> Number:
        naive = self._naive
        if key >= 0:
            return (naive.between if part == 1 else naive.state)[self._law.places[key]]
        real = self._law.count(-1 - key, "between" if part == 1 else "after")
        ghost = self._law.ghost(-1 - key)
        return {
            n: naive.either((naive.both((naive.on, real.get(n, FALSE))), naive.both((-naive.on, literal))))
            for n, literal in ghost.items()
        }

    # ---- what must be so -------------------------------------------------------------------------
    def false_clauses(self, clauses: Sequence[Sequence[int]]) -> Iterator[tuple[str, int]]:
        for clause in clauses:
            yield f"clause {list(clause)}", self._naive.both([-self.of(literal) for literal in clause])

    def misdescribed(self) -> Iterator[tuple[str, int]]:
        naive, now, after = self._naive, self._law.described[self._step], self._law.described[self._step + 1]
        yield "whether the game is on", self._differs(self.of(after.live), naive.live)
        for place, old, new in zip(self._law.places, now.state, after.state, strict=True):
            if new is not old or naive.state[place] is not naive.before[place]:
                yield from self._said(str(place), new, naive.state[place], naive.kinds[place] == BOOL)
        for number, value in after.counts.items():
            yield from self._said(f"count {number}", value, self._after(2, -1 - number), False)

    def _differs(self, one: int, other: int) -> int:
        return self._naive.either((self._naive.both((one, -other)), self._naive.both((-one, other))))

    def _said(self, what: str, value: Value, real: Number, is_truth: bool) -> Iterator[tuple[str, int]]:
        """While the game is on, the literals say what is so; else, at least, they say one thing."""
        naive = self._naive
        if is_truth:
            assert isinstance(value, int)
            yield what, naive.both((naive.live, self._differs(self.of(value), real.get(1, FALSE))))
        elif isinstance(value, int):
            yield what, naive.both((naive.live, -real.get(value, FALSE)))
        else:
            terms = {key: self.of(literal) for key, literal in value.items() if key is not None}
            for key, literal in terms.items():
                yield what, naive.both((naive.live, self._differs(literal, real.get(key, FALSE))))
            yield f"{what}: no value", naive.both(-literal for literal in terms.values())
            several = list(terms.values())
            for place, one in enumerate(several):
                for other in several[:place]:
                    yield f"{what}: two values", naive.both((one, other))
