"""Is anything in the rules without effect? Every case comes about, every guard decides, no property is vacuous.

What is to come about is shown by games, all of it in one search. Of what no game shows, a solver is asked whether it
is impossible; if it cannot say so either, it is left open.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial

from hanabi_formal.kernel.build import TRUE
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import Clauses, Property
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.prove.consistency.case_coverage import Fired, Twin, never_sets
from hanabi_formal.prove.consistency.guard_coverage import Asked, guards_of
from hanabi_formal.prove.consistency.vacuity import KINDS, Premise, premises
from hanabi_formal.prove.induction.induction import Outcome
from hanabi_formal.prove.search.explorer import Explorer, Goal, StepGoal, is_reached
from hanabi_formal.prove.search.made_deals import deal_with, dealer_of
from hanabi_formal.prove.search.replayed import longest_games, replay
from hanabi_formal.prove.verdicts import Result, Verdict
from hanabi_formal.run.compiler.compile import Compiled, Dealt, Packed_State
from hanabi_formal.run.faults import Fault
from hanabi_formal.run.follow import states_of

GAMES = 300
BUDGET = 400_000
CONSTANT = "parameters, rulings or types"


def consistency(
    compiled: Compiled,
    players: int | None,
    lemmas: tuple[Expr, ...],
    games: int = GAMES,
    known: Mapping[str, Trace] | None = None,
    settled: Mapping[str, str] | None = None,
) -> Iterator[Result]:
    """Results for one system. `lemmas` are proved invariants; `known` are games that an earlier search found.

    `settled` says what makes a part constant (`guard a.b`, `property p`). A constant part that it does not know is a
    fault; without it every constant is taken to be somebody's choice.
    """
    return _Consistency(compiled, players, lemmas, games, known or {}, settled).results()


class _Consistency:
    def __init__(
        self,
        compiled: Compiled,
        players: int | None,
        lemmas: tuple[Expr, ...],
        games: int,
        known: Mapping[str, Trace],
        settled: Mapping[str, str] | None,
    ) -> None:
        self.compiled = compiled
        self.system = compiled.system
        self.players = players
        self.lemmas = lemmas
        self.games = games
        self.settled = settled
        self.twin = Twin(self.system)
        self.played = Compiled(self.twin.system)
        self.explorer = Explorer(self.played, budget=BUDGET)
        self.guards = list(guards_of(self.system))
        self.premises = list(premises(self.system))
        self.goals = self._goals()
        self.steps: dict[str, StepGoal] = {p.name: self._at_step(p) for p in self.premises if p.of_a_step}
        self.traces: dict[str, Trace] = {}
        self._began = time.perf_counter()
        self._remember([(trace, *states_of(self.played, trace)) for trace in longest_games(known.values())])

    def results(self) -> Iterator[Result]:
        goals = {name: goal for name, goal in self.goals.items() if name not in self.traces}
        steps = {name: goal for name, goal in self.steps.items() if name not in self.traces}
        if goals or steps:
            self.traces |= self.explorer.explore(goals, self.games, steps).traces
        yield from map(self._case, self.twin.cases)
        yield from map(self._guard, self.guards)
        yield from map(self._premise, self.premises)
        yield from filter(None, map(self._constant_property, self.system.properties))

    # ---- goals -------------------------------------------------------------------------------------
    def _goals(self) -> dict[str, Goal]:
        predicate = self.played.predicate
        found: dict[str, Goal] = {case.name: predicate(case.set) for case in self.twin.cases}
        for asked in self.guards:
            if not asked.is_constant:
                found[f"{asked.name} allows"] = predicate(asked.allows)
                found[f"{asked.name} forbids"] = predicate(asked.forbids)
        return found | {p.name: predicate(p.condition) for p in self.premises if not p.of_a_step}

    def _at_step(self, premise: Premise) -> StepGoal:
        def holds(dealt: Dealt, before: Packed_State, code: int, after: Packed_State) -> bool:
            return premise.holds_at(self.played, dealt, before, after)

        return holds

    def _remember(self, games: list[tuple[Trace, Dealt, list[Packed_State]]]) -> None:
        """What they reach, with as few actions as any of them."""
        for many in range(max((len(states) for _, _, states in games), default=0)):
            for trace, dealt, states in games:
                if many < len(states):
                    so_far = trace.until(many)
                    self._look(so_far, dealt, states[many - 1] if many else None, states[many])

    def _look(self, so_far: Trace, dealt: Dealt, before: Packed_State | None, state: Packed_State) -> None:
        left = {name: goal for name, goal in self.goals.items() if name not in self.traces}
        found = [name for name, goal in left.items() if is_reached(goal, dealt, state)]
        if before is not None:
            for name, goal in self.steps.items():
                if name not in self.traces and goal(dealt, before, 0, state):
                    found.append(name)
        self.traces |= dict.fromkeys(found, so_far)

    # ---- results -----------------------------------------------------------------------------------
    def _result(
        self,
        name: str,
        clauses: Clauses,
        verdict: Verdict,
        method: str,
        detail: str = "",
        trace: Trace | None = None,
        expected: Verdict = Verdict.REACHED,
    ) -> Result:
        now = time.perf_counter()
        took, self._began = now - self._began, now
        return Result(name, self.players, verdict, expected, method, clauses, took, detail, self._checked(trace))

    def _checked(self, trace: Trace | None) -> Trace | None:
        """Every game that is shown was replayed by both readings."""
        if trace is not None:
            replay(self.compiled, trace)
        return trace

    def _or_never(
        self, name: str, clauses: Clauses, trace: Trace | None, never: Callable[[], Outcome], verdict: Verdict, why: str
    ) -> Result:
        """Reached by a game; else impossible, if a solver can tell; else open."""
        if trace is not None:
            return self._result(name, clauses, Verdict.REACHED, "game", trace=trace)
        outcome = never()
        if outcome.proved:
            return self._result(name, clauses, verdict, "induction", why)
        method = f"search, {self.games} games, then induction"
        return self._result(name, clauses, Verdict.UNDECIDED, method, outcome.detail)

    def _case(self, case: Fired) -> Result:
        never = partial(never_sets, self.twin.system, case.action, case.flag, self.lemmas)
        name, trace = f"case {case.name} comes about", self.traces.get(case.name)
        return self._or_never(name, case.clauses, trace, never, Verdict.REFUTED, "never: its condition cannot hold")

    def _guard(self, asked: Asked) -> Result:
        name, clauses = f"guard {asked.name} decides", asked.guard.clauses
        if asked.is_constant:
            value = "true" if asked.guard.condition == TRUE else "false"
            return self._constant(name, clauses, f"guard {asked.name}", value, Verdict.REFUTED)
        forbids, allows = self.traces.get(f"{asked.name} forbids"), self.traces.get(f"{asked.name} allows")
        if forbids is not None and allows is not None:
            dealt, state = replay(self.compiled, forbids)
            detail = f"it alone refuses {asked.forbidden(self.compiled, dealt, state)}"
            return self._result(name, clauses, Verdict.REACHED, "game", detail, forbids)
        if allows is None:
            never = partial(asked.never_allows, self.system, self.lemmas)
            return self._or_never(name, clauses, None, never, Verdict.REFUTED, "never true: it forbids everything")
        never = partial(asked.never_forbids, self.system, self.lemmas)
        why = "always true where the other guards are: it forbids nothing"
        return self._or_never(name, clauses, None, never, Verdict.REFUTED, why)

    def _constant(self, name: str, clauses: Clauses, key: str, value: str, fault: Verdict) -> Result:
        """Constant by choice is as it should be; constant whatever is chosen is a fault."""
        if self.settled is None or key in self.settled:
            by = CONSTANT if self.settled is None else self.settled[key]
            return self._result(
                name, clauses, Verdict.VACUOUS, "text", f"always {value} under {by}", expected=Verdict.VACUOUS
            )
        return self._result(name, clauses, fault, "text", f"always {value}, whatever the state and the rulings")

    def _constant_property(self, prop: Property) -> Result | None:
        if prop.kind not in KINDS or not prop.exprs or any(expr != TRUE for expr in prop.exprs):
            return None
        if prop.kind == "unreachable" or prop.refuted_because is not None:
            return None
        name = f"premise of {prop.name} comes about"
        return self._constant(name, prop.clauses, f"property {prop.name}", "true", Verdict.VACUOUS)

    # ---- premises ----------------------------------------------------------------------------------
    def _premise(self, premise: Premise) -> Result:
        name, clauses = f"{premise.name} comes about", premise.prop.clauses
        trace = self.traces.get(premise.name)
        if trace is None:
            trace, impossible = self._dealt(premise)
            if impossible:
                return self._result(name, clauses, Verdict.VACUOUS, "deals", "no deal makes it true")
        never = partial(premise.never, self.system, self.lemmas)
        why = "the premise is never true, so nothing is demanded"
        return self._or_never(name, clauses, trace, never, Verdict.VACUOUS, why)

    def _dealt(self, premise: Premise) -> tuple[Trace | None, bool]:
        """A game whose deal was made for the premise; or that there is no such deal."""
        if not premise.of_a_step:
            ordered = deal_with(self.system, premise.condition)
            if ordered.faces is not None:
                dealt = self.played.deal(list(ordered.faces))
                with suppress(Fault):
                    if self.goals[premise.name](dealt, self.played.start(dealt)):
                        return Trace(ordered.faces, ()), False
        rigid = premise.rigid
        if rigid is None:
            return None, False
        dealer, impossible = dealer_of(self.played, rigid)
        if dealer is None:
            return None, impossible
        goals = {premise.name: self.goals[premise.name]} if premise.name in self.goals else {}
        steps = {premise.name: self.steps[premise.name]} if premise.name in self.steps else {}
        found = self.explorer.explore(goals, self.games, steps, dealer)
        return found.traces.get(premise.name), False
