"""What can be said of an obligation. Bounded is never called proved, and no proof is never called refuted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from hanabi_formal.kernel.build import conj, negate
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import Property
from hanabi_formal.kernel.trace import Trace


class Verdict(StrEnum):
    PROVED = "proved"
    REFUTED = "refuted"
    REACHED = "reached"
    VACUOUS = "vacuous"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Result:
    """One obligation for one player count. `expected` is what the specification says it should come to.

    `weights` are what a proof found out that is worth keeping.
    """

    name: str
    players: int | None
    verdict: Verdict
    expected: Verdict
    method: str
    clauses: tuple[str, ...] = ()
    seconds: float = 0.0
    detail: str = ""
    trace: Trace | None = field(default=None, repr=False)
    weights: Mapping[str, int | str] | None = field(default=None, repr=False)

    @property
    def as_expected(self) -> bool:
        return self.verdict is self.expected


def expected_of(prop: Property) -> Verdict:
    """What the specification says that a property should come to."""
    if prop.refuted_because is not None:
        return Verdict.REFUTED
    return Verdict.REACHED if prop.kind == "reachable" else Verdict.PROVED


def condition_of(prop: Property) -> Expr:
    """What must hold in every state; of a property as it is asked."""
    whole = conj(*prop.exprs)
    return negate(whole) if prop.kind == "unreachable" else whole
