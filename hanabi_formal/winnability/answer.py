"""What is said of a deal, with what makes it believable."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from hanabi_formal.judge.certificate import Certificate
from hanabi_formal.kernel.trace import Instance

DealVerdict = Literal["winnable", "unwinnable", "undecided"]


@dataclass(frozen=True)
class DealAnswer:
    """`line` wins if it is winnable; `certificate` shows that nothing does if it is not.

    `tried` are the rungs of the ladder that were climbed, and why each said what it said.
    """

    verdict: DealVerdict
    goal: int
    method: str
    line: tuple[Instance, ...] = ()
    certificate: Certificate | None = None
    tried: tuple[str, ...] = ()
    confirmed_by: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True)
class LadderBudget:
    """In resources, so that the same question has the same answer everywhere."""

    widths: tuple[int, ...] = (10, 50)
    wider: tuple[int, ...] = (300, 1500)
    conflicts: int = 400_000
    general_conflicts: int = 200_000
