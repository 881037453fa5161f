"""Ends that hold together: either two never do, or a game is shown in which the order of the text decides.

Two ends hold together if both hold when they are tried: after the first part of a step, where late ones are not, or
after the second, or at the start.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import z3

from hanabi_formal.kernel.build import FALSE, arith, conj, negate
from hanabi_formal.kernel.depends import restrict
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import End, System
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.prove.induction.initial_state import holds_at_start
from hanabi_formal.prove.induction.query import Query
from hanabi_formal.prove.induction.solver_call import ProofListener
from hanabi_formal.prove.induction.step_goals import StepCase, step_cases
from hanabi_formal.prove.obligation import Obligation, ObligationKind, Result, Verdict
from hanabi_formal.prove.search.beam_search import Beam
from hanabi_formal.prove.search.directed import distance, nearness
from hanabi_formal.prove.search.explorer import Goal
from hanabi_formal.prove.search.goals import Target, shows
from hanabi_formal.prove.search.replayed import replay
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState
from hanabi_formal.run.faults import Fault, IllegalAction
from hanabi_formal.run.follow import follow
from hanabi_formal.run.interpret import Interpreter, Snapshot
from hanabi_formal.smt.translate import Beyond

BUDGET = 80_000
DEALS = 8
BACK = (1, 2, 4, 8, 16)
MOST_KNOWN = 4
NEITHER = "neither a game in which both hold nor a proof that there is none"


@dataclass(frozen=True)
class Pair:
    """Two ends that are not ruled out, in the order of the text."""

    first: End
    second: End

    @property
    def obligation(self) -> Obligation:
        clauses = tuple(dict.fromkeys((*self.first.clauses, *self.second.clauses)))
        return Obligation.of(ObligationKind.ENDS_TOGETHER, self.first.name, self.second.name, clauses=clauses)

    @property
    def target(self) -> Target:
        return shows(self.obligation)

    @property
    def condition(self) -> Expr:
        return conj(self.first.condition, self.second.condition)

    @property
    def is_late(self) -> bool:
        """Are they tried together only after the second part of a step?"""
        return self.first.late or self.second.late


def pairs(system: System) -> list[Pair]:
    return [Pair(*two) for two in combinations([end for end in system.ends if end.condition != FALSE], 2)]


# ---- never together --------------------------------------------------------------------------------
def never_together(
    system: System,
    lemmas: tuple[Expr, ...] = (),
    among: Collection[Pair] | None = None,
    listener: ProofListener | None = None,
) -> frozenset[Pair]:
    """The pairs that are proved to hold together in no state in which both are tried.

    Many need no lemma, and are proved much faster without.
    """
    left = [p for p in among or pairs(system) if holds_at_start(system, negate(p.condition)).proved]
    restricted = restrict(system, lemmas)
    try:
        for case in step_cases(restricted):
            left = list(_kept_apart(restricted, lemmas, listener, case, left))
    except Beyond:
        return frozenset()
    return frozenset(left)


def _kept_apart(
    system: System, lemmas: tuple[Expr, ...], listener: ProofListener | None, case: StepCase, left: list[Pair]
) -> Iterator[Pair]:
    """Those of the pairs that do not hold together after the step."""
    asked = [pair for pair in left if not (case.at_once and pair.is_late)]
    yield from (pair for pair in left if pair not in asked)
    if not asked:
        return
    query = Query(system, lemmas, listener=listener)
    _, state = case.take(query)
    holds = {
        end: query.stepper.end_holds(number, state) for number, end in enumerate(system.ends) if end.condition != FALSE
    }
    goals = [z3.Not(z3.And(holds[pair.first], holds[pair.second])) for pair in asked]
    outcomes = query.prove(goals, [pair.obligation for pair in asked])
    yield from (pair for pair, outcome in zip(asked, outcomes, strict=True) if outcome.proved)


# ---- together --------------------------------------------------------------------------------------
class _Together:
    """Do both ends of a pair hold, and were both tried?"""

    def __init__(self, compiled: Compiled, pair: Pair) -> None:
        self.compiled = compiled
        self.pair = pair
        self._both = compiled.predicate(pair.condition)

    def after(self, dealt: Dealt, state: PackedState) -> bool:
        """By the state alone: of a late pair it is told only where a late end decides, which is never at once."""
        end = self.compiled.ended(state)
        if not end or not self._both(dealt, state):
            return False
        return not self.pair.is_late or self.compiled.system.ends[end - 1].late

    def by_step(self, dealt: Dealt, before: PackedState, code: int, after: PackedState) -> bool:
        if not self.compiled.ended(after) or not self._both(dealt, after):
            return False
        return self.after(dealt, after) or not self._at_once(dealt, before, code)

    def _at_once(self, dealt: Dealt, before: PackedState, code: int) -> bool:
        """Did the first part of the step end the game?"""
        system = self.compiled.system
        ends = tuple(replace(end, condition=FALSE) if end.late else end for end in system.ends)
        first_parts = tuple(replace(action, second=()) for action in system.actions)
        instance = self.compiled.decode(before, code)
        reader = Interpreter(replace(system, actions=first_parts, ends=ends))
        step = reader.step(self.compiled.snapshot(before), tuple(dealt[0]), instance)
        return bool(step.after.end)

    def shown_by(self, trace: Trace) -> Snapshot | None:
        """The last state of a game, if it can be played and both ends hold there."""
        try:
            dealt, last = replay(self.compiled, trace)
        except (IllegalAction, Fault):
            return None
        before = self.compiled.start(dealt)
        found = not trace.actions and bool(self._both(dealt, before))
        for code, state in follow(self.compiled, dealt, before, trace.actions):
            found = state == last and self.by_step(dealt, before, code, state)
            before = state
        return self.compiled.snapshot(last) if found else None

    def look(self, others: Iterable[Trace]) -> Trace | None:
        """Play towards both at once: from shortly before the end of games that came to one of them, and anew."""
        far = arith("add", distance(self.pair.first.condition), distance(self.pair.second.condition))
        estimate = nearness(self.compiled, far)
        beam = Beam(self.compiled, BUDGET, seed=11)
        for begun in (*self._begun(others), *[None] * DEALS):
            if beam.budget.is_spent:
                break
            played = beam.play(estimate, self.by_step, begun)
            if played is not None and played.reaching is not None:
                return played.reaching
        return None

    def _begun(self, others: Iterable[Trace]) -> Iterator[Trace]:
        """Beginnings of games that came to one of the ends, the longest beginnings first."""
        ends = self.compiled.system.ends
        known: list[Trace] = []
        for trace in dict.fromkeys(others):
            try:
                _, state = replay(self.compiled, trace)
            except (IllegalAction, Fault):
                continue
            end = self.compiled.ended(state)
            if end and ends[end - 1] in (self.pair.first, self.pair.second):
                known.append(trace)
        for back in BACK:
            for trace in known[:MOST_KNOWN]:
                yield replace(trace, actions=trace.actions[: max(0, len(trace.actions) - back)])

    def told(self, trace: Trace, last: Snapshot) -> str:
        """What decides, and what else would have."""
        reader = self.compiled.interpreter
        scene = reader.scene(last, trace.faces)
        deciding = self.compiled.system.ends[last.end - 1]
        others = [end for end in (self.pair.first, self.pair.second) if end != deciding]
        words = []
        for end in (deciding, *others):
            try:
                words.append(f"{end.outcome}, {reader.evaluate(end.score, scene)} points")
            except Fault:
                words.append(f"{end.outcome}, with a score that has no meaning there")
        where = "written first" if deciding == self.pair.first else "written before both"
        would = "; ".join(f"`{end.name}` would be {word}" for end, word in zip(others, words[1:], strict=True))
        return f"`{deciding.name}` decides, being {where}: {words[0]}; {would}"


def pair_goals(compiled: Compiled, proved: Collection[Pair] = ()) -> dict[Target, Goal]:
    """For a shared search: what shows that two ends hold together, for every pair that may."""
    return {pair.target: _Together(compiled, pair).after for pair in pairs(compiled.system) if pair not in proved}


def pair_results(
    compiled: Compiled,
    lemmas: tuple[Expr, ...],
    traces: Mapping[Target, Trace],
    proved: Collection[Pair] | None = None,
    listener: ProofListener | None = None,
) -> Iterator[Result]:
    """One result for each pair; `proved` are those that need no lemma, if that was asked before.

    Traces are found by a pair's target; any others may serve as beginnings of games that are looked for.
    """
    if proved is None:
        proved = never_together(compiled.system, listener=listener)
    for pair in pairs(compiled.system):
        one, together = pair.obligation, _Together(compiled, pair)
        apart = pair in proved
        trace = None if apart else traces.get(pair.target)
        last = together.shown_by(trace) if trace else None
        if not apart and last is None:
            apart = pair in never_together(compiled.system, lemmas, [pair], listener)
        if not apart and last is None:
            trace = together.look(traces.values())
            last = together.shown_by(trace) if trace else None
        if apart:
            yield Result(one.expecting(Verdict.PROVED), Verdict.PROVED, "induction", "never together")
        elif trace is not None and last is not None:
            yield Result(one, Verdict.REACHED, "game", together.told(trace, last), trace)
        else:
            yield Result(one, Verdict.UNDECIDED, "induction, then search", NEITHER)
