"""States as Z3 terms. A state is a way to read variables; a step makes a new way to read from an old one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import z3

from hanabi_formal.kernel.expr import Local
from hanabi_formal.kernel.system import System, Variable
from hanabi_formal.kernel.types import BOOL, Type, type_values
from hanabi_formal.smt.terms import TRUE, Term, all_of, apply, at_most, choose, same, whole


def term_sort(kind: Type) -> Any:
    return z3.BoolSort() if kind == BOOL else z3.IntSort()


def in_type(term: Term, kind: Type) -> Term:
    """The term is a value of the type."""
    if kind == BOOL:
        return TRUE
    values = type_values(kind)
    return all_of(at_most(whole(values.start), term), at_most(term, whole(values[-1])))


class TermState(Protocol):
    """Anything that variables can be read from."""

    def read(self, var: str, index: tuple[Term, ...]) -> Term: ...


class Unknown:
    """An arbitrary state: scalars are constants, maps are uninterpreted functions."""

    def __init__(self, system: System, name: str) -> None:
        self._terms = {var.name: _unknown(var, f"{var.name}@{name}") for var in system.variables}
        self._is_condition = {var.name: var.type == BOOL for var in system.variables}

    def read(self, var: str, index: tuple[Term, ...]) -> Term:
        found = self._terms[var]
        return apply(found, index, self._is_condition[var]) if index else found


def _unknown(var: Variable, label: str) -> Any:
    if not var.index:
        return z3.Const(label, term_sort(var.type))
    return z3.Function(label, *map(term_sort, var.index), term_sort(var.type))


@dataclass(frozen=True)
class Write:
    """`var[index] := value` where `condition` holds; for all values of the binders at once if there are any."""

    var: str
    index: tuple[Term, ...]
    condition: Term
    value: Term
    binders: tuple[Local, ...] = ()
    at: Callable[[tuple[Term, ...]], tuple[Term, Term]] | None = None

    def here(self, index: tuple[Term, ...]) -> tuple[Term, Term]:
        """Whether it writes at an index, and what."""
        if self.at is not None:
            return self.at(index)
        return all_of(self.condition, *(same(a, b) for a, b in zip(self.index, index, strict=True))), self.value


@dataclass(frozen=True)
class Updated:
    """A state after writes that happen at once."""

    before: TermState
    writes: tuple[Write, ...]
    _cache: dict[Any, tuple[tuple[Term, ...], Term]] = field(default_factory=dict, compare=False, repr=False)

    def read(self, var: str, index: tuple[Term, ...]) -> Term:
        # Z3 gives the number of a term that is gone to a new one: what a key was made from must be kept.
        key = (var, tuple(term.get_id() for term in index))
        if key not in self._cache:
            self._cache[key] = (index, self._read(var, index))
        return self._cache[key][1]

    def _read(self, var: str, index: tuple[Term, ...]) -> Term:
        found = self.before.read(var, index)
        for write in self.writes:
            if write.var == var:
                condition, value = write.here(index)
                found = choose(condition, value, found)
        return found
