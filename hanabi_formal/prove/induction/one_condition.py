"""One condition by itself: does it hold in every reachable state, or at every step, given what is proved already?"""

from __future__ import annotations

import z3

from hanabi_formal.kernel.build import negate, quant
from hanabi_formal.kernel.depends import restrict
from hanabi_formal.kernel.expr import Ended, Expr, Get, Quant, walk
from hanabi_formal.kernel.system import Action, System
from hanabi_formal.prove.induction.query import Query
from hanabi_formal.prove.induction.solver_call import PROVED, ProofOutcome, inexpressible
from hanabi_formal.prove.properties import possible_actions
from hanabi_formal.prove.search.made_deals import deal_with
from hanabi_formal.smt.terms import Term
from hanabi_formal.smt.translate import Beyond, Scene


def never(condition: Expr) -> Expr:
    """That it does not hold; of none, where it speaks of some: so a solver is asked of an arbitrary one."""
    if isinstance(condition, Quant) and condition.kind == "exists":
        return quant("forall", condition.binders, negate(condition.body))
    return negate(condition)


def holds_always(system: System, expr: Expr, lemmas: tuple[Expr, ...]) -> ProofOutcome:
    """A condition on states by induction, one that speaks of the next state at every step. Lemmas are invariants."""
    small = restrict(system, [*lemmas, expr])
    of_a_step = speaks_of_next(expr)
    try:
        if not of_a_step and not deal_with(small, negate(expr)).impossible:
            return ProofOutcome(False, "it may be false at the start")
        known = lemmas if of_a_step else (*lemmas, expr)
        for action in possible_actions(small):
            outcome = _after(small, action, expr, known)
            if not outcome.proved:
                return outcome.under(action.name)
        return _still(small, expr, known) if of_a_step else PROVED
    except Beyond as problem:
        return inexpressible(problem)


def _after(system: System, action: Action, expr: Expr, known: tuple[Expr, ...]) -> ProofOutcome:
    query = Query(system, known)
    step = query.step(action)
    goals: list[Term] = []
    for after, when, late in ((step.middle, step.over_at_once, False), (step.after, z3.Not(step.over_at_once), True)):
        end = query.stepper.end_term(after, late)
        scene = Scene(after, end=end)
        if speaks_of_next(expr):
            scene = Scene(query.state, after=after, end=z3.IntVal(0), end_after=end)
        goals.append(z3.Implies(when, z3.And(*query.goals(expr, scene))))
    return query.prove([z3.And(*goals)])[0]


def _still(system: System, expr: Expr, known: tuple[Expr, ...]) -> ProofOutcome:
    """When the game has ended, and nothing changes any more."""
    query = Query(system, known)
    scene = query.stand_still()
    return query.prove([z3.And(*query.goals(expr, scene))])[0]


def speaks_of_next(expr: Expr) -> bool:
    return any(isinstance(node, Get | Ended) and node.primed for node in walk(expr))
