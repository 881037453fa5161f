"""Worked examples: constants, and unknowns where the print is lost. Is there a way to fill them in?"""

from __future__ import annotations

from collections.abc import Iterator

import z3

from hanabi_formal.kernel.defined import defined
from hanabi_formal.kernel.system import Property, PropertyKind, System
from hanabi_formal.prove.induction.initial_state import ground_translator
from hanabi_formal.prove.induction.solver_call import new_solver
from hanabi_formal.prove.obligation import Obligation, Result, Verdict
from hanabi_formal.smt.states import in_type, term_sort
from hanabi_formal.smt.translate import Scene


def examples(system: System) -> Iterator[Result]:
    for prop in system.properties:
        if prop.kind == PropertyKind.EXAMPLE:
            yield _example(system, prop)


def _example(system: System, prop: Property) -> Result:
    one = Obligation.declared(prop)
    translator = ground_translator(system)
    names = {p.name: z3.Const(p.name.partition("$")[0], term_sort(p.type)) for p in prop.params}
    solver = new_solver(facts=(in_type(names[p.name], p.type) for p in prop.params))
    scene = Scene(_Nothing(), names)
    solver.add(*(translator.expr(expr, scene) for expr in (*prop.exprs, defined(system, *prop.exprs))))
    answer = solver.check()
    if answer == z3.unknown:
        return Result(one, Verdict.UNDECIDED, "arithmetic", "the budget is spent")
    if answer == z3.unsat:
        return Result(one, Verdict.REFUTED, "arithmetic")
    model = solver.model()
    detail = ", ".join(f"{term} = {model.eval(term, model_completion=True)}" for term in names.values())
    return Result(one, Verdict.PROVED, "arithmetic", detail)


class _Nothing:
    """Examples speak of no state."""

    def read(self, var: str, index: tuple[object, ...]) -> object:
        raise AssertionError(var)
