"""What operators and quantifiers mean on numbers, in one table: truth is 0 or 1, division rounds down.

Folding (`kernel/build.py`), the interpreter (`run/readings.py`) and the clauses (`sat/encode/`) read it; each walks
expressions in its own way, so that they still check each other. What must notice a mistake in the table itself does not
read it: the compiled rules (`run/compiler/`), the terms (`smt/translate.py`), and the second encoder of the tests.

The names are `Literal` types: mypy finds a misspelt one, and a `match` over them that forgets one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Literal

Arithmetic = Literal["add", "sub", "mul", "div", "mod", "min", "max"]
Comparison = Literal["eq", "lt", "le"]
Junction = Literal["and", "or"]
Operator = Arithmetic | Comparison | Junction | Literal["not"]
Quantifier = Literal["exists", "forall", "count", "sum", "min", "max"]

Interval = tuple[int, int]
"""The least and the greatest that a number can be."""
BinaryFunction = Callable[[int, int], int]


# ---- operators of two arguments ----------------------------------------------------------------------
@dataclass(frozen=True)
class ArithmeticMeaning:
    """`interval` is the type rule: where the result lies, given where the arguments do.

    A unit is what folding drops on that side. `mul` keeps its 1: without it the identities of known rules would change.
    """

    sign: str | None
    apply: BinaryFunction
    interval: Callable[[Interval, Interval], Interval]
    left_unit: int | None = None
    right_unit: int | None = None


@dataclass(frozen=True)
class ComparisonMeaning:
    """`decided` is what the intervals of the arguments say of it, None if they leave it open."""

    sign: str
    apply: BinaryFunction
    decided: Callable[[Interval, Interval], bool | None]


def _corners(apply: BinaryFunction, left: Interval, right: Interval) -> Interval:
    """The interval of an operator that rises or falls all along each of its arguments."""
    found = [apply(a, b) for a in left for b in right]
    return min(found), max(found)


def _monotone(
    sign: str | None, apply: BinaryFunction, left_unit: int | None = None, right_unit: int | None = None
) -> ArithmeticMeaning:
    return ArithmeticMeaning(sign, apply, partial(_corners, apply), left_unit, right_unit)


def _remainder(left: Interval, right: Interval) -> Interval:
    return left if left[0] >= 0 and left[1] < right[0] else (0, right[1] - 1)


def _decided_equal(left: Interval, right: Interval) -> bool | None:
    return False if left[1] < right[0] or right[1] < left[0] else None


def _decided_less(by: int, left: Interval, right: Interval) -> bool | None:
    """Is the left one less by so much, or more?"""
    if left[1] + by <= right[0]:
        return True
    return False if left[0] + by > right[1] else None


ARITHMETIC: Mapping[Arithmetic, ArithmeticMeaning] = MappingProxyType(
    {
        "add": _monotone("+", operator.add, left_unit=0, right_unit=0),
        "sub": _monotone("-", operator.sub, right_unit=0),
        "mul": _monotone("*", operator.mul),
        "div": _monotone("/", operator.floordiv),
        "mod": ArithmeticMeaning("%", operator.mod, _remainder),
        "min": _monotone(None, min),
        "max": _monotone(None, max),
    }
)
"""`div` rounds down, and `mod` is what is left: never negative. The language divides by positive constants only."""

COMPARISONS: Mapping[Comparison, ComparisonMeaning] = MappingProxyType(
    {
        "eq": ComparisonMeaning("==", lambda a, b: int(a == b), _decided_equal),
        "lt": ComparisonMeaning("<", lambda a, b: int(a < b), partial(_decided_less, 1)),
        "le": ComparisonMeaning("<=", lambda a, b: int(a <= b), partial(_decided_less, 0)),
    }
)

BINARY: Mapping[Operator, BinaryFunction] = MappingProxyType(
    {name: meaning.apply for table in (ARITHMETIC, COMPARISONS) for name, meaning in table.items()}
)
"""Arithmetic and comparisons on numbers."""
SIGNS: Mapping[Operator, str] = MappingProxyType(
    {
        **{name: row.sign for table in (ARITHMETIC, COMPARISONS) for name, row in table.items() if row.sign},
        "and": "and",
        "or": "or",
    }
)
"""How those that stand between their arguments are written in rules."""

# ---- operators of any number of arguments --------------------------------------------------------------
DECIDING: Mapping[Junction, int] = MappingProxyType({"and": 0, "or": 1})
"""The value of one part that decides the whole, read from left to right; the other value changes nothing."""


@dataclass(frozen=True)
class QuantifierMeaning:
    """`interval` is the type rule for so many values of a body that lies there; None if the result is a truth."""

    apply: Callable[[Iterable[int]], int]
    interval: Callable[[Interval, int], Interval] | None = None


def _between(body: Interval, _: int) -> Interval:
    return body


QUANTIFIERS: Mapping[Quantifier, QuantifierMeaning] = MappingProxyType(
    {
        "exists": QuantifierMeaning(any),
        "forall": QuantifierMeaning(all),
        "count": QuantifierMeaning(sum, lambda _, many: (0, many)),
        "sum": QuantifierMeaning(sum, lambda body, many: (body[0] * many, body[1] * many)),
        "min": QuantifierMeaning(partial(min, default=0), _between),
        "max": QuantifierMeaning(partial(max, default=0), _between),
    }
)
"""Over nothing, the least and the greatest are 0."""
