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
class Outcome:
    """`proved`, or what stood in the way of a proof."""

    proved: bool
    detail: str = ""

    def under(self, action: str) -> Outcome:
        """The same, of one action among several."""
        return self if self.proved else Outcome(False, f"{self.detail} under `{action}`")


PROVED = Outcome(True)


def inexpressible(problem: Beyond) -> Outcome:
    """The terms cannot say it."""
    return Outcome(False, f"{problem} cannot be expressed")


class Witness(Protocol):
    """Told every question answered `unsat`: its SMT-LIB text, the obligations it serves, and where it arose."""

    def __call__(self, text: str, serves: tuple[Obligation, ...] = (), where: str = "") -> None: ...


def serving(witness: Witness | None, obligation: Obligation) -> Witness | None:
    """All questions serve this obligation, whatever they are asked for."""
    if witness is None:
        return None

    def told(text: str, serves: tuple[Obligation, ...] = (), where: str = "") -> None:
        witness(text, (obligation,), where)

    return told


def new_solver(budget: int = RESOURCES, facts: Iterable[Term] = ()) -> z3.Solver:
    solver = z3.Solver()
    solver.set("random_seed", 7)
    solver.set("rlimit", budget)
    solver.add(*facts)
    return solver


def ask(
    facts: list[Term], goal: Term, budget: int = RESOURCES, witness: Callable[[str], None] | None = None
) -> Outcome:
    """Do the facts imply the goal? A fresh solver, and a budget."""
    solver = new_solver(budget, facts)
    solver.add(z3.Not(goal))
    answer = solver.check()
    if answer == z3.unsat:
        if witness is not None:
            witness(solver.to_smt2())
        return PROVED
    return Outcome(False, "not inductive" if answer == z3.sat else "the budget is spent")
