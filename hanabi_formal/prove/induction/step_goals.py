"""What is claimed of all steps, and the terms that a solver must show after one of them."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field

import z3

from hanabi_formal.kernel.defined import defined, one_after_the_other
from hanabi_formal.kernel.expr import Expr, vars_in
from hanabi_formal.kernel.system import Action, System
from hanabi_formal.prove.induction.query import Query
from hanabi_formal.prove.obligation import Obligation, ObligationKind
from hanabi_formal.prove.properties import possible_actions
from hanabi_formal.smt.states import TermState, in_type
from hanabi_formal.smt.step import Transition
from hanabi_formal.smt.terms import Term, all_of, implies, no
from hanabi_formal.smt.translate import Scene

DISTINCT = Obligation.of(ObligationKind.DISTINCT_WRITES)
EXISTENCE = Obligation.of(ObligationKind.EXISTENCE)
Goals = dict[Obligation, list[Term]]


def bounds_of(variable: str) -> Obligation:
    return Obligation.of(ObligationKind.BOUNDS, variable)


@dataclass(frozen=True)
class Claims:
    """What is to be shown of all steps: conditions on states, on a state and the next, and numbers that fall.

    With its `structure`: every value written is of its type, all that is named exists, no place is written twice.
    """

    invariants: Mapping[Obligation, Expr] = field(default_factory=dict)
    steps: Mapping[Obligation, Expr] = field(default_factory=dict)
    rankings: Mapping[Obligation, tuple[Expr, ...]] = field(default_factory=dict)
    structure: bool = False

    def exprs(self, obligation: Obligation) -> tuple[Expr, ...]:
        expr = self.invariants.get(obligation) or self.steps.get(obligation)
        return self.rankings.get(obligation, ()) if expr is None else (expr,)


@dataclass(frozen=True)
class StepCase:
    """An action that ends the game at once, after its first part, or does not."""

    action: Action
    at_once: bool

    @property
    def where(self) -> str:
        return f"after {self.action.name}" + (", which ends the game at once" if self.at_once else "")

    def take(self, query: Query) -> tuple[Transition, TermState]:
        """Assume that it happens; with the state after it."""
        query.where = self.where
        step = query.step(query.system.action(self.action.name))
        query.assumed.append(step.over_at_once if self.at_once else z3.Not(step.over_at_once))
        return step, step.middle if self.at_once else step.after


def step_cases(system: System) -> list[StepCase]:
    return [StepCase(action, at_once) for action in possible_actions(system) for at_once in (True, False)]


def goals_after(query: Query, claims: Claims, wanted: Container[Obligation], case: StepCase, read: Expr) -> Goals:
    """What each of the wanted claims demands after the step; `read` is what must exist in every state."""
    step, after = case.take(query)
    end = query.stepper.end_term(after, late=not case.at_once)
    there, across = Scene(after, end=end), Scene(query.state, after=after, end=z3.IntVal(0), end_after=end)
    goals = {o: list(query.goals(expr, there)) for o, expr in claims.invariants.items() if o in wanted}
    goals |= {o: list(query.goals(expr, across)) for o, expr in claims.steps.items() if o in wanted}
    goals |= {o: _lower(query, ranking, there) for o, ranking in claims.rankings.items() if o in wanted}
    if claims.structure:
        goals |= {o: terms for o, terms in _structure(query, step, case.at_once).items() if o in wanted}
        if EXISTENCE in wanted and vars_in(read) <= {var.name for var in query.system.variables}:
            goals[EXISTENCE] += query.goals(read, there)
    return goals


def _lower(query: Query, ranking: tuple[Expr, ...], there: Scene) -> list[Term]:
    """All numbers have a meaning before the step and after it, and the first that changes goes down."""
    scenes = Scene(query.state, end=query.end), there
    meaning = defined(query.system, *ranking)
    lower: Term = z3.BoolVal(False)
    for part in reversed(ranking):
        old, new = (query.translator.expr(part, scene) for scene in scenes)
        lower = z3.Or(new < old, z3.And(new == old, lower))
    return [*(goal for scene in scenes for goal in query.goals(meaning, scene)), lower]


def _structure(query: Query, step: Transition, at_once: bool) -> Goals:
    """Every value written is of its type, every place written exists, and no place is written twice at once."""
    goals: Goals = {bounds_of(var.name): [] for var in query.system.variables}
    tried = (ending.condition for ending in query.system.ends if not ending.late)
    ends = one_after_the_other(query.system, tried, until=True)
    goals |= {DISTINCT: [], EXISTENCE: list(query.goals(ends, Scene(step.middle)))}
    parts = [step.middle]
    if not at_once:
        parts.append(step.after)
    for owed in (owed for part in step.defined[: len(parts)] for owed in part):
        goals[EXISTENCE].append(implies(owed.when, all_of(*query.goals(owed.expr, owed.scene))))
    for part in parts:
        for number, write in enumerate(part.writes):
            variable = query.system.variable(write.var)
            anywhere = write.index
            if write.at is not None:
                anywhere = query.any_values(variable.index)
            written, value = write.here(anywhere)
            inside = [in_type(term, kind) for term, kind in zip(anywhere, variable.index, strict=True)]
            right = all_of(in_type(value, variable.type), *inside)
            goals[bounds_of(write.var)].append(implies(written, right))
            for other in part.writes[:number]:
                if other.var == write.var:
                    place = other.index if write.at is not None and other.at is None else anywhere
                    goals[DISTINCT].append(no(all_of(write.here(place)[0], other.here(place)[0])))
    return goals
