"""What induction can say of the declared properties, and of what every game owes; and what would refute the rest."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from hanabi_formal.kernel.build import conj, negate
from hanabi_formal.kernel.defined import defined
from hanabi_formal.kernel.expr import Expr, vars_in
from hanabi_formal.kernel.system import Property, PropertyKind
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.prove.induction.induction import Induction, ProofOutcomes
from hanabi_formal.prove.induction.needed_lemmas import Guide, QuestionKey
from hanabi_formal.prove.induction.solver_call import ProofListener, ProofOutcome, inexpressible
from hanabi_formal.prove.induction.step_goals import DISTINCT, EXISTENCE, Claims, bounds_of
from hanabi_formal.prove.obligation import Obligation, ObligationKind, Result, Verdict
from hanabi_formal.prove.properties import OF_STATES, asked, condition_of, stuck
from hanabi_formal.prove.search.explorer import Explorer, StepGoal, holds_at_step, without
from hanabi_formal.prove.search.goals import NOTHING, Memory
from hanabi_formal.prove.search.replayed import replay
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState
from hanabi_formal.run.faults import Fault, IllegalAction
from hanabi_formal.smt.translate import Beyond

LOOKS = 400
FEW_GAMES = 40
FEW_STEPS = 60_000
OF_STEPS = (PropertyKind.STEP, PropertyKind.TERMINATES)
GOALS = (*OF_STATES, PropertyKind.DEADLOCK_FREE, *OF_STEPS)
REFUTED = ProofOutcome(False, "refuted by a game")
ALL_BOUNDS = Obligation.of(ObligationKind.ALL_BOUNDS)


@dataclass(frozen=True)
class Claim:
    """By induction, if `outcome` says so; else a game refutes it that reaches `against`, or takes such a step.

    `trace` is such a game, if one is known already.
    """

    obligation: Obligation
    outcome: ProofOutcome
    method: str
    seconds: float
    against: Expr | None = None
    against_step: StepGoal | None = None
    trace: Trace | None = None

    @property
    def as_proved(self) -> Result:
        return Result(self.obligation, Verdict.PROVED, self.method, seconds=self.seconds)


class Claimant:
    """`lemmas` are the invariants proved, once `claims` has run; without those about records, of no use to rules.

    `memory` has advice, and games that refute. If advice is to be kept for later, `found` has it afterwards.
    """

    def __init__(
        self, compiled: Compiled, listener: ProofListener | None, memory: Memory = NOTHING, keep: bool = False
    ) -> None:
        self.compiled = compiled
        self.system = compiled.system
        self.properties = asked(compiled.system)
        self.listener = listener
        self.memory = memory
        self.keep = keep
        self.found: dict[QuestionKey, tuple[Obligation, ...]] = {}
        self.lemmas: Mapping[Obligation, Expr] = {}

    def _of(self, *kinds: PropertyKind) -> dict[Obligation, Property]:
        return {one: prop for one, prop in self.properties.items() if prop.kind in kinds}

    def claims(self) -> Iterator[Claim]:
        """Houdini: all invariants are assumed together; one that is not inductive is dropped, and no lemma any more."""
        of_states = self._of(*OF_STATES)
        invariants = {one: prop for one, prop in of_states.items() if prop.refuted_because is None}
        known = {one: condition_of(prop) for one, prop in invariants.items()}
        steps = {one: conj(*prop.exprs) for one, prop in self._of(PropertyKind.STEP).items()}
        rankings = {one: prop.exprs for one, prop in self._of(PropertyKind.TERMINATES).items()}
        refuted: dict[Obligation, Trace] | None = None
        advice = self.memory.needs
        while True:
            guide = Guide(known, advice, {} if self.keep else None)
            induction = Induction(self.system, tuple(known.values()), self.listener, guide)
            claims = Claims(known, steps, rankings, structure=True)
            began = time.perf_counter()
            everything = [*known, *steps, *rankings, ALL_BOUNDS]
            outcomes = _decided(partial(induction.prove, claims, all_or_nothing=refuted is None), everything)
            if advice and not all(outcome.proved for outcome in outcomes.values()):
                advice = None
                continue
            if refuted is None and not all(outcome.proved for outcome in outcomes.values()):
                # A game refutes more quickly than many failing proofs.
                refuted = self._games_against({**invariants, **self._of(*OF_STEPS)})
                for one in [one for one in invariants if one in refuted]:
                    yield replace(self._claim(one, REFUTED, 0.0), trace=refuted[one])
                    del invariants[one]
                known, steps, rankings = without(known, refuted), without(steps, refuted), without(rankings, refuted)
                continue
            took = (time.perf_counter() - began) / max(1, len(outcomes))
            lost = [one for one in known if not outcomes[one].proved]
            for one in lost:
                yield self._claim(one, outcomes[one], took)
            if not lost:
                break
            known = without(known, lost)
        records = {var.name for var in self.system.variables if var.is_record}
        self.lemmas = {one: lemma for one, lemma in known.items() if not vars_in(lemma) & records}
        for one in known:
            yield self._claim(one, outcomes[one], took)
        for one, prop in of_states.items():
            if prop.refuted_because is not None:
                question = partial(induction.prove, Claims({one: condition_of(prop)}))
                yield self._unless_refuted(one, "induction", question)
        yield from self._owed(outcomes, took)
        for one, prop in self._of(*OF_STEPS).items():
            method = "induction" if prop.kind == PropertyKind.STEP else "ranking"
            claim = Claim(one, outcomes.get(one, REFUTED), method, took)
            yield replace(claim, against_step=self._against(prop), trace=(refuted or {}).get(one))
        for one in self._of(PropertyKind.DEADLOCK_FREE):
            yield self._unless_refuted(one, "invariants", partial(induction.always_enabled, one))
        self.found = guide.found or {}

    def refuted_by_games(self, wanted: Container[Obligation]) -> Iterator[Claim]:
        """Those of the wanted claims that a few games refute; nothing is proved."""
        began = time.perf_counter()
        several = {one: prop for one, prop in self._of(*GOALS).items() if one in wanted}
        if not several:
            return
        traces = {one: trace for one in several if (trace := self._remembered(one)) is not None}
        traces |= self._games_against(without(several, traces))
        took = (time.perf_counter() - began) / len(several)
        for one in several:
            if one in traces:
                yield replace(self._claim(one, REFUTED, took), trace=traces[one])

    def _unless_refuted(self, one: Obligation, method: str, question: Callable[[], ProofOutcomes]) -> Claim:
        """Nobody proves what a game is known to refute."""
        began = time.perf_counter()
        trace = self._remembered(one)
        outcome = REFUTED if trace is not None else _decided(question, [one])[one]
        return replace(self._claim(one, outcome, time.perf_counter() - began), method=method, trace=trace)

    def _remembered(self, one: Obligation) -> Trace | None:
        """A game of an earlier search, if it refutes a property of states."""
        trace, prop = self.memory.games.get(one), self.properties[one]
        if trace is None or prop.kind in OF_STEPS:
            return None
        try:
            return trace if self.compiled.predicate(self._bad(prop))(*replay(self.compiled, trace)) else None
        except (IllegalAction, Fault):
            return None

    def _bad(self, prop: Property) -> Expr:
        """What refutes a property of states."""
        return stuck(self.system) if prop.kind == PropertyKind.DEADLOCK_FREE else negate(condition_of(prop))

    def _claim(self, one: Obligation, outcome: ProofOutcome, seconds: float) -> Claim:
        prop = self.properties[one]
        bad = None if outcome.proved or prop.kind in OF_STEPS else self._bad(prop)
        return Claim(one, outcome, "induction", seconds, bad)

    def _owed(self, outcomes: ProofOutcomes, seconds: float) -> Iterator[Claim]:
        """Bounds, and writes that make sense."""
        bounds = {
            bounds_of(var.name): replace(bounds_of(var.name), clauses=var.clauses) for var in self.system.variables
        }
        owed = {**bounds, **{one: one for one in (ALL_BOUNDS, DISTINCT, EXISTENCE)}}
        for one, outcome in outcomes.items():
            if one in owed:
                yield Claim(owed[one], outcome, "induction", seconds)

    def _against(self, prop: Property) -> StepGoal:
        of_step = prop.kind == PropertyKind.STEP
        return self._breaks(conj(*prop.exprs)) if of_step else self._does_not_fall(prop.exprs)

    def _games_against(self, several: dict[Obligation, Property]) -> dict[Obligation, Trace]:
        """Those of the properties that a few games refute, with such a game."""
        steps = {one: self._against(prop) for one, prop in several.items() if prop.kind in OF_STEPS}
        goals = {one: self.compiled.predicate(self._bad(prop)) for one, prop in without(several, steps).items()}
        return dict(Explorer(self.compiled, budget=FEW_STEPS).explore(goals, FEW_GAMES, steps).traces)

    def _breaks(self, condition: Expr) -> StepGoal:
        """Slow, so only some steps are looked at."""
        looks, broken = iter(range(LOOKS)), negate(condition)
        return lambda *step: next(looks, None) is not None and holds_at_step(self.compiled, broken, *step)

    def _does_not_fall(self, ranking: tuple[Expr, ...]) -> StepGoal:
        numbers = [self.compiled.measure(part) for part in ranking]
        has_a_meaning = self.compiled.predicate(defined(self.system, *ranking))

        def goal(dealt: Dealt, before: PackedState, code: int, after: PackedState) -> bool:
            if not has_a_meaning(dealt, before) or not has_a_meaning(dealt, after):
                return True
            return [number(dealt, after) for number in numbers] >= [number(dealt, before) for number in numbers]

        return goal


def _decided(work: Callable[[], ProofOutcomes], obligations: Iterable[Obligation]) -> ProofOutcomes:
    """The outcomes, or undecided for all where the terms cannot say it."""
    try:
        return work()
    except Beyond as problem:
        return dict.fromkeys(obligations, inexpressible(problem))
