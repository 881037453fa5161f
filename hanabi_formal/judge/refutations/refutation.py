"""Clauses made again from rules and deal, with the proof that they cannot all be met."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from hanabi_formal.judge.certificate import Unsolvable
from hanabi_formal.judge.refutations.lrat import Refused, check, unpack

VariableMeanings = Callable[[], Mapping[int, str]]
"""What variables of a formula stand for, as far as there is a word for it; told when asked."""


class CheckedFormula(Protocol):
    """Clauses over variables numbered from 1; `digest` tells formulas apart."""

    @property
    def variables(self) -> int: ...

    @property
    def clauses(self) -> Sequence[Sequence[int]]: ...

    @property
    def digest(self) -> str: ...


@dataclass(frozen=True)
class Refutation:
    """What was checked: `proof` is LRAT text about these clauses, numbered from 1. Of `kind` see `Unsolvable`."""

    kind: str
    variables: int
    clauses: Sequence[Sequence[int]]
    digest: str
    proof: str
    steps: int
    meaning: VariableMeanings

    @property
    def told(self) -> str:
        return f"{len(self.clauses)} clauses, made again, cannot be met ({self.steps} steps checked)"


def refute(certificate: Unsolvable, formula: CheckedFormula, meaning: VariableMeanings) -> Refutation:
    """The proof checked against the clauses; `Refused` if it is about others, or proves nothing."""
    if formula.digest != certificate.digest:
        raise Refused("its clauses are not those that follow from these rules and this deal")
    proof = unpack(certificate.steps)
    steps = check(formula.clauses, proof)
    return Refutation(certificate.kind, formula.variables, formula.clauses, formula.digest, proof, steps, meaning)
