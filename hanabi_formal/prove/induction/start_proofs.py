"""What holds in the first state of every deal: worked out where the deal does not matter, else asked of the solver."""

from __future__ import annotations

from collections.abc import Callable

import z3

from hanabi_formal.kernel.build import interval
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.types import type_values
from hanabi_formal.prove.induction.initial_state import AtStart
from hanabi_formal.prove.induction.solver_call import PROVED, ProofOutcome, ask
from hanabi_formal.smt.counts import GroundCounts
from hanabi_formal.smt.states import in_type, term_sort
from hanabi_formal.smt.step import Stepper
from hanabi_formal.smt.terms import Term
from hanabi_formal.smt.translate import Scene, Translator


def ground_translator(system: System) -> Translator:
    """One that writes counts out, individual by individual."""
    counts = GroundCounts()
    counts.translator = Translator(system, counts)
    return counts.translator


class Initial:
    """The first state, for every deal: what the rules say of each variable."""

    def __init__(self, system: System, translator: Translator) -> None:
        self.system = system
        self.translator = translator
        self._inits = {init.var: init for init in system.inits}

    def read(self, var: str, index: tuple[Term, ...]) -> Term:
        init = self._inits[var]
        names = {binder.name: term for binder, term in zip(init.binders, index, strict=True)}
        return self.translator.expr(init.value, Scene(self, names))


def first_scene(system: System, translator: Translator) -> Scene:
    """The first state, and how the game has ended there, if it has."""
    state = Initial(system, translator)
    return Scene(state, end=Stepper(system, translator).end_term(state, late=True))


def holds_at_start(system: System, expr: Expr, listener: Callable[[str], None] | None = None) -> ProofOutcome:
    """For every deal. Only what depends on the deal is a question for the solver."""
    known = AtStart(system).holds(expr)
    if known is not None:
        return PROVED if known else ProofOutcome(False, "false at the start")
    translator = ground_translator(system)
    found = ask([], translator.expr(expr, first_scene(system, translator)), listener=listener)
    return found if found.proved else ProofOutcome(False, "perhaps false at the start")


def starts_in_type(system: System, var: str, listener: Callable[[str], None] | None = None) -> ProofOutcome:
    """The first value of a variable is of its type."""
    init = next(init for init in system.inits if init.var == var)
    allowed = system.variable(var).type
    values = type_values(allowed)
    low, high = interval(init.value)
    if values.start <= low and high <= values[-1]:
        return PROVED
    translator = ground_translator(system)
    names = {binder.name: z3.Const(f"i{n}", term_sort(binder.type)) for n, binder in enumerate(init.binders)}
    facts = [in_type(names[binder.name], binder.type) for binder in init.binders]
    value = translator.expr(init.value, Scene(Initial(system, translator), names))
    found = ask(facts, in_type(value, allowed), listener=listener)
    return found if found.proved else ProofOutcome(False, "perhaps outside them at the start")
