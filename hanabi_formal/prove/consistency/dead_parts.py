"""Is anything in the rules without effect? Every case comes about, every guard decides, no property is vacuous.

What is to come about is shown by games, all of it in one search. Of what no game shows, a solver is asked whether it
is impossible; if it cannot say so either, it is left open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial

from hanabi_formal.kernel.build import TRUE
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import Property, PropertyKind
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.prove.consistency.case_coverage import Fired, Twin, never_sets
from hanabi_formal.prove.consistency.guard_coverage import PlacedGuard, guards_of
from hanabi_formal.prove.consistency.vacuity import KINDS, Premise, premises, rigid_part
from hanabi_formal.prove.induction.solver_call import ProofOutcome
from hanabi_formal.prove.obligation import Obligation, ObligationKind, Result, Verdict
from hanabi_formal.prove.search.explorer import Explorer, Goal, StepGoal, holds_at_step, reached_by, without
from hanabi_formal.prove.search.goals import Purpose, Target, shows
from hanabi_formal.prove.search.made_deals import deal_with, dealer_of
from hanabi_formal.prove.search.replayed import longest_games, replay
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.run.faults import Fault
from hanabi_formal.run.follow import states_of

GAMES = 300
BUDGET = 400_000
CONSTANT = "parameters, rulings or types"
Settled = Mapping[tuple[str, str], str]
"""What makes a part constant, by its kind (`guard`, `property`) and name."""


class DeadParts:
    """The search for parts without effect, in one system.

    `lemmas` are proved invariants; `known` are games that an earlier search found. A constant part that is not
    `settled` is a fault; if nothing is said of that, every constant is taken to be somebody's choice.
    """

    def __init__(
        self,
        compiled: Compiled,
        lemmas: tuple[Expr, ...],
        games: int = GAMES,
        known: Iterable[Trace] = (),
        settled: Settled | None = None,
    ) -> None:
        self.compiled = compiled
        self.system = compiled.system
        self.lemmas = lemmas
        self.games = games
        self.settled = settled
        self.twin = Twin(self.system)
        self.played = Compiled(self.twin.system)
        self.explorer = Explorer(self.played, budget=BUDGET)
        self.guards = list(guards_of(self.system))
        self.premises = list(premises(self.system))
        self.goals = self._goals()
        self.steps: dict[Target, StepGoal] = {
            shows(p.obligation): partial(holds_at_step, self.played, p.condition) for p in self.premises if p.of_a_step
        }
        self.known = longest_games(known)
        self.traces: dict[Target, Trace] = {}

    def results(self) -> Iterator[Result]:
        known = [(trace, *states_of(self.played, trace)) for trace in self.known]
        self.traces = reached_by(known, self.goals, self.steps)
        goals, steps = without(self.goals, self.traces), without(self.steps, self.traces)
        if goals or steps:
            self.traces |= self.explorer.explore(goals, self.games, steps).traces
        yield from map(self._case, self.twin.cases)
        yield from map(self._guard, self.guards)
        yield from map(self._premise, self.premises)
        yield from filter(None, map(self._constant_property, self.system.properties))

    # ---- goals -------------------------------------------------------------------------------------
    def _goals(self) -> dict[Target, Goal]:
        conditions = {shows(case.obligation): case.set for case in self.twin.cases}
        for guard in self.guards:
            if not guard.is_constant:
                conditions[Target(Purpose.ALLOW, guard.obligation)] = guard.allows
                conditions[Target(Purpose.FORBID, guard.obligation)] = guard.forbids
        conditions |= {
            shows(premise.obligation): premise.condition for premise in self.premises if not premise.of_a_step
        }
        return {target: self.played.predicate(condition) for target, condition in conditions.items()}

    # ---- results -----------------------------------------------------------------------------------
    def _reached(self, one: Obligation, trace: Trace, detail: str = "") -> Result:
        """Every game that is shown was replayed by both readings."""
        replay(self.compiled, trace)
        return Result(one, Verdict.REACHED, "game", detail, trace)

    def _unless_never(self, one: Obligation, never: Callable[[], ProofOutcome], verdict: Verdict, why: str) -> Result:
        """No game reaches it; it is impossible, if a solver can tell, else open."""
        outcome = never()
        if outcome.proved:
            return Result(one, verdict, "induction", why)
        return Result(one, Verdict.UNDECIDED, f"search, {self.games} games, then induction", outcome.detail)

    def _case(self, case: Fired) -> Result:
        trace = self.traces.get(shows(case.obligation))
        if trace is not None:
            return self._reached(case.obligation, trace)
        never = partial(never_sets, self.twin.system, case.action, case.flag, self.lemmas)
        return self._unless_never(case.obligation, never, Verdict.REFUTED, "never: its condition cannot hold")

    def _guard(self, guard: PlacedGuard) -> Result:
        one = guard.obligation
        if guard.is_constant:
            value = "true" if guard.guard.condition == TRUE else "false"
            return self._constant(one, ("guard", guard.name), value, Verdict.REFUTED)
        forbids, allows = (self.traces.get(Target(purpose, one)) for purpose in (Purpose.FORBID, Purpose.ALLOW))
        if forbids is not None and allows is not None:
            dealt, state = replay(self.compiled, forbids)
            return self._reached(one, forbids, f"it alone refuses {guard.forbidden(self.compiled, dealt, state)}")
        never, why = guard.never_forbids, "always true where the other guards are: it forbids nothing"
        if allows is None:
            never, why = guard.never_allows, "never true: it forbids everything"
        return self._unless_never(one, partial(never, self.system, self.lemmas), Verdict.REFUTED, why)

    def _constant(self, one: Obligation, part: tuple[str, str], value: str, fault: Verdict) -> Result:
        """Constant by choice is as it should be; constant whatever is chosen is a fault."""
        by = CONSTANT if self.settled is None else self.settled.get(part)
        if by is None:
            return Result(one, fault, "text", f"always {value}, whatever the state and the rulings")
        return Result(one.expecting(Verdict.VACUOUS), Verdict.VACUOUS, "text", f"always {value} under {by}")

    def _constant_property(self, prop: Property) -> Result | None:
        if prop.kind not in KINDS or not prop.exprs or any(expr != TRUE for expr in prop.exprs):
            return None
        if prop.kind == PropertyKind.UNREACHABLE or prop.refuted_because is not None:
            return None
        one = Obligation.of(ObligationKind.CONSTANT_PROPERTY, prop.name, clauses=prop.clauses)
        return self._constant(one, ("property", prop.name), "true", Verdict.VACUOUS)

    # ---- premises ----------------------------------------------------------------------------------
    def _premise(self, premise: Premise) -> Result:
        one = premise.obligation
        trace = self.traces.get(shows(one))
        if trace is None:
            trace, impossible = self._dealt(premise)
            if impossible:
                return Result(one, Verdict.VACUOUS, "deals", "no deal makes it true")
        if trace is not None:
            return self._reached(one, trace)
        never = partial(premise.never, self.system, self.lemmas)
        return self._unless_never(one, never, Verdict.VACUOUS, "the premise is never true, so nothing is demanded")

    def _dealt(self, premise: Premise) -> tuple[Trace | None, bool]:
        """A game whose deal was made for the premise; or that there is no such deal."""
        target = shows(premise.obligation)
        if not premise.of_a_step:
            ordered = deal_with(self.system, premise.condition)
            if ordered.faces is not None:
                dealt = self.played.deal(list(ordered.faces))
                with suppress(Fault):
                    if self.goals[target](dealt, self.played.start(dealt)):
                        return Trace(ordered.faces, ()), False
        rigid = rigid_part(premise.condition)
        if rigid is None:
            return None, False
        dealer, impossible = dealer_of(self.played, rigid)
        if dealer is None:
            return None, impossible
        goals = {target: self.goals[target]} if target in self.goals else {}
        steps = {target: self.steps[target]} if target in self.steps else {}
        return self.explorer.explore(goals, self.games, steps, dealer).traces.get(target), False
