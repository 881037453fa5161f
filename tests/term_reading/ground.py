"""Terms at a known state of a known deal by the solver's own evaluator: slow, and the judge of the quick one.

The solver is given the values of the counts too, as the quick evaluator found them. Nothing is believed by that: each
of them is a sum over individuals, written out, that the solver can be asked for in turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import z3

from hanabi_formal.run.interpret import Snapshot
from hanabi_formal.smt.terms import Term
from term_reading.evaluate import OUTSIDE, CountsKnown, Evaluated, indices
from term_reading.general import CountTerms, GeneralTerms, MapTerms


class GroundTerms:
    """The terms of a System, for the solver to evaluate."""

    def __init__(self, terms: GeneralTerms) -> None:
        self.terms = terms
        self.sums = tuple(map(_written_out, terms.counts))

    def at(self, snapshot: Snapshot, faces: Sequence[int], counts: CountsKnown) -> GroundHere:
        return GroundHere(self, snapshot, faces, counts)


class GroundHere:
    """All actions at one state of one deal, given the counts there."""

    def __init__(self, ground: GroundTerms, snapshot: Snapshot, faces: Sequence[int], counts: CountsKnown) -> None:
        self._ground = ground
        self._terms = ground.terms
        self._model = z3.Model()
        system = self._terms.system
        for var in system.variables:
            function, value = self._terms.variables[var.name], snapshot.values[var.name]
            if isinstance(value, int):
                self._model.update_value(function, _literal(value, function.range()))
            else:
                keys = indices(var.index)
                self._tabulate(function, zip(keys, value, strict=True))
        for number, function in enumerate(self._terms.attributes.values()):
            assert system.deck is not None
            faces_here = [system.deck.faces[face][number] for face in faces]
            self._tabulate(function, enumerate(faces_here))
        self.know(counts)
        self.end = self._number(self._terms.end)
        self.score = self._number(self._terms.score)

    def know(self, counts: CountsKnown) -> None:
        for number, table in counts.items():
            function = self._terms.counts[number].function
            if function.arity():
                self._tabulate(function, table.items())
            elif table:
                self._model.update_value(function, z3.IntVal(table[()]))

    def count(self, number: int, params: Sequence[int]) -> int:
        """A count as the sum that it stands for."""
        self._set(self._terms.counts[number].params, params)
        return self._number(self._ground.sums[number])

    def is_legal(self, action: int, args: Sequence[int]) -> bool:
        self._set(self._terms.actions[action].args, args)
        return bool(self._number(self._terms.actions[action].legal))

    def step(self, action: int, args: Sequence[int], counts: CountsKnown) -> Evaluated:
        self.know(counts)
        step = self._terms.actions[action]
        self._set(step.args, args)
        values = {name: self._values(part) for name, part in step.after.items()}
        after = Snapshot(values, self._number(step.end))
        at_once, defined = bool(self._number(step.at_once)), bool(self._number(step.defined))
        return Evaluated(after, self._number(step.score), at_once, defined, counts)

    def _values(self, part: MapTerms) -> int | tuple[int, ...]:
        if not part.index:
            return self._number(part.value)
        found = []
        for key in indices(part.kinds):
            self._set(part.index, key if isinstance(key, tuple) else (key,))
            found.append(self._number(part.value))
        return tuple(found)

    def _set(self, unknowns: Sequence[Term], values: Sequence[int]) -> None:
        for unknown, value in zip(unknowns, values, strict=True):
            self._model.update_value(unknown, _literal(value, unknown.sort()))

    def _tabulate(self, function: z3.FuncDeclRef, entries: Iterable[tuple[Any, int]]) -> None:
        context, result = function.ctx, function.range()
        sorts = [function.domain(place) for place in range(function.arity())]
        outside = _literal(OUTSIDE, result)
        made = z3.Z3_add_func_interp(context.ref(), self._model.model, function.ast, outside.ast)
        table = z3.FuncInterp(made, context)
        for key, value in entries:
            at = z3.AstVector(None, context)
            for number, sort in zip(key if isinstance(key, tuple) else (key,), sorts, strict=True):
                at.push(_literal(number, sort))
            z3.Z3_func_interp_add_entry(context.ref(), table.f, at.vector, _literal(value, result).ast)

    def _number(self, term: Term) -> int:
        found = self._model.eval(term, model_completion=True)
        if z3.is_true(found) or z3.is_false(found):
            return int(z3.is_true(found))
        return int(found.as_long())


def _written_out(count: CountTerms) -> Term:
    here = (z3.substitute(count.body, (count.which, z3.IntVal(number))) for number in count.individuals)
    return z3.Sum([z3.If(term, 1, 0) for term in here])


def _literal(value: int, sort: Any) -> Term:
    return z3.BoolVal(value > 0) if sort == z3.BoolSort() else z3.IntVal(value)
