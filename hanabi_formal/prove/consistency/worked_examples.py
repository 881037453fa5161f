"""Worked examples: constants, and unknowns where the print is lost. Is there a way to fill them in?"""

from __future__ import annotations

import time
from collections.abc import Iterator

import z3

from hanabi_formal.kernel.defined import defined
from hanabi_formal.kernel.system import System
from hanabi_formal.prove.induction.query import RESOURCES, new_solver
from hanabi_formal.prove.verdicts import Result, Verdict, expected_of
from hanabi_formal.smt.counts import GroundCounts
from hanabi_formal.smt.states import in_type, term_sort
from hanabi_formal.smt.translate import Scene, Translator


def examples(system: System, players: int | None) -> Iterator[Result]:
    for prop in system.properties:
        if prop.kind != "example":
            continue
        began = time.perf_counter()
        counts = GroundCounts()
        translator = Translator(system, counts)
        counts.translator = translator
        solver = new_solver(RESOURCES)
        names = {p.name: z3.Const(p.name.partition("$")[0], term_sort(p.type)) for p in prop.params}
        solver.add(*(in_type(names[p.name], p.type) for p in prop.params))
        scene = Scene(_Nothing(), names)
        solver.add(*(translator.expr(expr, scene) for expr in (*prop.exprs, defined(system, *prop.exprs))))
        answer = solver.check()
        decided = Verdict.PROVED if answer == z3.sat else Verdict.REFUTED
        verdict = Verdict.UNDECIDED if answer == z3.unknown else decided
        detail = "the budget is spent" if verdict is Verdict.UNDECIDED else ""
        if verdict is Verdict.PROVED and names:
            model = solver.model()
            detail = ", ".join(f"{term} = {model.eval(term, model_completion=True)}" for term in names.values())
        yield Result(
            prop.name,
            players,
            verdict,
            expected_of(prop),
            "arithmetic",
            prop.clauses,
            time.perf_counter() - began,
            detail,
        )


class _Nothing:
    """Examples speak of no state."""

    def read(self, var: str, index: tuple[object, ...]) -> object:
        raise AssertionError(var)
