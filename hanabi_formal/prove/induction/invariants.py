"""What induction can say of the declared properties, and of what every game owes; and what would refute the rest."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from hanabi_formal.kernel.build import FALSE, conj, negate
from hanabi_formal.kernel.defined import defined
from hanabi_formal.kernel.expr import Ended, Expr, vars_in
from hanabi_formal.kernel.system import Property, System
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.prove.induction.induction import DISTINCT, EXISTENCE, Claims, Induction, enabled
from hanabi_formal.prove.induction.needed_lemmas import Guide, Key
from hanabi_formal.prove.induction.query import Outcome, Witness
from hanabi_formal.prove.length.measures import as_number
from hanabi_formal.prove.properties import asked
from hanabi_formal.prove.search.explorer import Explorer, Goal, StepGoal
from hanabi_formal.prove.search.goals import NOTHING, Memory
from hanabi_formal.prove.search.replayed import replay
from hanabi_formal.prove.verdicts import Result, Verdict, condition_of, expected_of
from hanabi_formal.run.compiler.compile import Compiled, Dealt, Packed_State
from hanabi_formal.run.faults import Fault, IllegalAction
from hanabi_formal.smt.translate import Beyond

LOOKS = 400
FEW_GAMES = 40
FEW_STEPS = 60_000
STEPS = ("step", "terminates")
GOALS = ("invariant", "unreachable", "deadlock_free", *STEPS)
REFUTED = Outcome(False, "refuted by a game", 0)


@dataclass(frozen=True)
class Claim:
    """By induction, if `outcome` says so; else a game refutes it that reaches `against`, or takes such a step.

    `trace` is such a game, if one is known already; `condition` says the same as `against`.
    """

    name: str
    clauses: tuple[str, ...]
    expected: Verdict
    outcome: Outcome
    method: str
    seconds: float
    against: Goal | None = None
    against_step: StepGoal | None = None
    trace: Trace | None = None
    condition: Expr | None = None

    def as_proved(self, players: int | None) -> Result:
        return Result(self.name, players, Verdict.PROVED, self.expected, self.method, self.clauses, self.seconds)


class Claimant:
    """`lemmas` are the invariants proved, once `claims` has run; without those about records, of no use to rules.

    `memory` has advice, and games that refute. If advice is to be kept for later, `found` has it afterwards.
    """

    def __init__(
        self, compiled: Compiled, witness: Witness | None, memory: Memory = NOTHING, keep: bool = False
    ) -> None:
        self.compiled = compiled
        self.system = compiled.system
        self.properties = asked(compiled.system)
        self.witness = witness
        self.memory = memory
        self.keep = keep
        self.found: dict[Key, tuple[str, ...]] = {}
        self.lemmas: Mapping[str, Expr] = {}

    def _of(self, *kinds: str) -> list[Property]:
        return [prop for prop in self.properties if prop.kind in kinds]

    def claims(self) -> Iterator[Claim]:
        """An invariant that is not inductive is no lemma for the others."""
        invariants = [prop for prop in self._of("invariant", "unreachable") if prop.refuted_because is None]
        known = {prop.name: condition_of(prop) for prop in invariants}
        steps = {prop.name: conj(*prop.exprs) for prop in self._of("step")}
        rankings = {prop.name: prop.exprs for prop in self._of("terminates")}
        refuted: dict[str, Trace] | None = None
        advice = self.memory.needs
        while True:
            guide = Guide(known, advice, {} if self.keep else None)
            induction = Induction(self.system, tuple(known.values()), self.witness, guide)
            claims = Claims(known, steps, rankings, structure=True)
            began = time.perf_counter()
            names = [*known, *steps, *rankings, "bounds"]
            outcomes = _decided(partial(induction.prove, claims, all_or_nothing=refuted is None), names)
            if advice and not all(outcome.proved for outcome in outcomes.values()):
                advice = None
                continue
            if refuted is None and not all(outcome.proved for outcome in outcomes.values()):
                # A game refutes more quickly than many failing proofs.
                refuted = self._refuted(claims)
                for prop in invariants:
                    if prop.name in refuted:
                        yield replace(self._of_states(prop, REFUTED, 0.0), trace=refuted[prop.name])
                invariants = [prop for prop in invariants if prop.name not in refuted]
                known = {prop.name: condition_of(prop) for prop in invariants}
                steps = {name: expr for name, expr in steps.items() if name not in refuted}
                rankings = {name: exprs for name, exprs in rankings.items() if name not in refuted}
                continue
            took = (time.perf_counter() - began) / max(1, len(outcomes))
            lost = [name for name in known if not outcomes[name].proved]
            for prop in invariants:
                if prop.name in lost:
                    yield self._of_states(prop, outcomes[prop.name], took)
            if not lost:
                break
            known = {name: expr for name, expr in known.items() if name not in lost}
        records = {var.name for var in self.system.variables if var.is_record}
        self.lemmas = {name: lemma for name, lemma in known.items() if not vars_in(lemma) & records}
        for prop in invariants:
            if prop.name in known:
                yield self._of_states(prop, outcomes[prop.name], took)
        for prop in self._of("invariant", "unreachable"):
            if prop.refuted_because is not None:
                question = partial(induction.prove, Claims({prop.name: condition_of(prop)}))
                yield self._unless_refuted(prop, "induction", question)
        yield from self._owed(outcomes, took)
        yield from self._of_steps(outcomes, refuted or {}, took)
        for prop in self._of("deadlock_free"):
            yield self._unless_refuted(prop, "invariants", partial(induction.always_enabled, prop.name))
        self.found = guide.found or {}

    def refuted_by_games(self, wanted: Container[str]) -> Iterator[Claim]:
        """Those of the wanted claims that a few games refute; nothing is proved."""
        began = time.perf_counter()
        several = [prop for prop in self._of(*GOALS) if prop.name in wanted]
        if not several:
            return
        traces = {prop.name: trace for prop in several if (trace := self._remembered(prop)) is not None}
        left = [prop for prop in several if prop.name not in traces]
        goals = {prop.name: self.compiled.predicate(self._bad(prop)) for prop in left if prop.kind not in STEPS}
        steps = {prop.name: self._against(prop) for prop in left if prop.kind in STEPS}
        traces |= Explorer(self.compiled, budget=FEW_STEPS).explore(goals, FEW_GAMES, steps).traces
        took = (time.perf_counter() - began) / len(several)
        for prop in several:
            if prop.name in traces:
                yield replace(self._of_states(prop, REFUTED, took), trace=traces[prop.name])

    def _unless_refuted(self, prop: Property, method: str, question: Callable[[], dict[str, Outcome]]) -> Claim:
        """Nobody proves what a game is known to refute."""
        began = time.perf_counter()
        trace = self._remembered(prop)
        outcome = REFUTED if trace is not None else _decided(question, [prop.name])[prop.name]
        return replace(self._of_states(prop, outcome, time.perf_counter() - began), method=method, trace=trace)

    def _remembered(self, prop: Property) -> Trace | None:
        """A game of an earlier search, if it refutes a property of states."""
        trace = self.memory.games.get(prop.name)
        if trace is None or prop.kind in STEPS:
            return None
        try:
            return trace if self.compiled.predicate(self._bad(prop))(*replay(self.compiled, trace)) else None
        except (IllegalAction, Fault):
            return None

    def _bad(self, prop: Property) -> Expr:
        """What refutes a property of states."""
        return stuck(self.system) if prop.kind == "deadlock_free" else negate(condition_of(prop))

    def _of_states(self, prop: Property, outcome: Outcome, seconds: float) -> Claim:
        bad = None if outcome.proved or prop.kind in STEPS else self._bad(prop)
        goal = None if bad is None else self.compiled.predicate(bad)
        return Claim(prop.name, prop.clauses, expected_of(prop), outcome, "induction", seconds, goal, condition=bad)

    def _owed(self, outcomes: dict[str, Outcome], seconds: float) -> Iterator[Claim]:
        """Bounds, and writes that make sense."""
        clauses = {f"bounds of {var.name}": var.clauses for var in self.system.variables}
        for name, outcome in outcomes.items():
            if name.startswith("bounds") or name in (DISTINCT, EXISTENCE):
                yield Claim(name, clauses.get(name, ()), Verdict.PROVED, outcome, "induction", seconds)

    def _of_steps(self, outcomes: dict[str, Outcome], refuted: dict[str, Trace], seconds: float) -> Iterator[Claim]:
        for prop in self._of("step", "terminates"):
            method = "induction" if prop.kind == "step" else "ranking"
            outcome = outcomes.get(prop.name, REFUTED)
            yield Claim(
                prop.name,
                prop.clauses,
                expected_of(prop),
                outcome,
                method,
                seconds,
                against_step=self._against(prop),
                trace=refuted.get(prop.name),
            )

    def _against(self, prop: Property) -> StepGoal:
        return self._breaks(conj(*prop.exprs)) if prop.kind == "step" else self._does_not_fall(prop.exprs)

    def _refuted(self, claims: Claims) -> dict[str, Trace]:
        """Claims that a few games refute."""
        goals: dict[str, Goal] = {n: self.compiled.predicate(negate(expr)) for n, expr in claims.invariants.items()}
        steps = {prop.name: self._against(prop) for prop in self._of("step", "terminates")}
        explorer = Explorer(self.compiled, budget=FEW_STEPS)
        return dict(explorer.explore(goals, FEW_GAMES, steps).traces)

    def _breaks(self, condition: Expr) -> StepGoal:
        """Slow, so only some steps are looked at. After one that ends the game nothing changes any more."""
        interpreter = self.compiled.interpreter
        looks = iter(range(LOOKS))

        def goal(dealt: Dealt, before: Packed_State, code: int, after: Packed_State) -> bool:
            if next(looks, None) is None:
                return False
            first, second = self.compiled.snapshot(before), self.compiled.snapshot(after)
            steps = [(first, second), (second, second)] if self.compiled.ended(after) else [(first, second)]
            return not all(interpreter.evaluate(condition, interpreter.across(*s, tuple(dealt[0]))) for s in steps)

        return goal

    def _does_not_fall(self, ranking: tuple[Expr, ...]) -> StepGoal:
        numbers = [self.compiled.predicate(as_number(part)) for part in ranking]
        has_a_meaning = self.compiled.predicate(defined(self.system, *ranking))

        def goal(dealt: Dealt, before: Packed_State, code: int, after: Packed_State) -> bool:
            if not has_a_meaning(dealt, before) or not has_a_meaning(dealt, after):
                return True
            return [number(dealt, after) for number in numbers] >= [number(dealt, before) for number in numbers]

        return goal


def stuck(system: System) -> Expr:
    """The game goes on, and nothing may be done."""
    possible = [action for action in system.actions if not any(guard.condition == FALSE for guard in action.guards)]
    return conj(*(negate(condition) for condition in (Ended(-1), *map(enabled, possible))))


def _decided(work: Callable[[], dict[str, Outcome]], names: Iterable[str]) -> dict[str, Outcome]:
    """The outcomes, or undecided for all where the terms cannot say it."""
    try:
        return work()
    except Beyond as problem:
        return {name: Outcome(False, f"{problem} cannot be expressed", 0) for name in names}
