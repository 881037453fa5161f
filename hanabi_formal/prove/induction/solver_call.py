"""One call of the solver: do these facts imply that goal? And who is told of every answer `unsat`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

import z3

from hanabi_formal.prove.obligation import Obligation
from hanabi_formal.smt.terms import Term
from hanabi_formal.smt.translate import Beyond

RESOURCES = 10_000_000
"""A budget in the solver's own units of work."""


@dataclass(frozen=True)
class ProofOutcome:
    """`proved`, or what stood in the way of a proof."""

    proved: bool
    detail: str = ""

    def under(self, action: str) -> ProofOutcome:
        """The same, of one action among several."""
        return self if self.proved else ProofOutcome(False, f"{self.detail} under `{action}`")


PROVED = ProofOutcome(True)


def inexpressible(problem: Beyond) -> ProofOutcome:
    """The terms cannot say it."""
    return ProofOutcome(False, f"{problem} cannot be expressed")


class ProofListener(Protocol):
    """Told every question answered `unsat`: its SMT-LIB text, the obligations it serves, and where it arose."""

    def __call__(self, text: str, serves: tuple[Obligation, ...] = (), where: str = "") -> None: ...


def serving(listener: ProofListener | None, obligation: Obligation) -> ProofListener | None:
    """All questions serve this obligation, whatever they are asked for."""
    if listener is None:
        return None
    return lambda text, serves=(), where="": listener(text, (obligation,), where)


def new_solver(budget: int = RESOURCES, facts: Iterable[Term] = ()) -> z3.Solver:
    solver = z3.Solver()
    solver.set("random_seed", 7)
    solver.set("rlimit", budget)
    solver.add(*facts)
    return solver


def ask(
    facts: list[Term], goal: Term, budget: int = RESOURCES, listener: Callable[[str], None] | None = None
) -> ProofOutcome:
    """Do the facts imply the goal? A fresh solver, and a budget."""
    solver = new_solver(budget, facts)
    solver.add(z3.Not(goal))
    answer = solver.check()
    if answer == z3.unsat:
        if listener is not None:
            listener(solver.to_smt2())
        return PROVED
    return ProofOutcome(False, "not inductive" if answer == z3.sat else "the budget is spent")
