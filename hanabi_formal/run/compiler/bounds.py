"""What is known of an expression's value where it stands: its type, sharpened by the conditions that hold there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from operator import add, sub
from typing import Literal

from hanabi_formal.kernel.build import interval, negate
from hanabi_formal.kernel.expr import Cast, Expr, Field, Get, Inject, Is, Ite, Lit, Op, children, remembered
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.types import Type, UnionType, type_values


def conjuncts(conditions: Iterable[Expr]) -> list[Expr]:
    found: list[Expr] = []
    for condition in conditions:
        match condition:
            case Op("and", args):
                found += conjuncts(args)
            case Op("not", (Op("or", args),)):
                found += conjuncts(Op("not", (arg,), arg.type) for arg in args)
            case _:
                found.append(condition)
    return found


def bounds(expr: Expr, facts: list[Expr]) -> tuple[int, int]:
    """An interval that holds the value, given facts that are true."""
    low, high = interval(expr)
    match expr:
        case Op("add" | "sub" | "min" | "max" as op, (a, b)):
            (p, q), (r, s) = bounds(a, facts), bounds(b, facts)
            combine = _ENDS[op]
            if op == "sub":
                r, s = s, r
            low, high = max(low, combine(p, r)), min(high, combine(q, s))
        case Cast(arg):
            p, q = bounds(arg, facts)
            low, high = max(low, p), min(high, q)
        case Get():
            for fact in facts:
                limit = remembered(fact, "limit", partial(_limit, fact))
                if limit is not None and limit.of == expr:
                    low, high = limit.within(low, high)
    return low, high


_ENDS: dict[str, Callable[[int, int], int]] = {"add": add, "sub": sub, "min": min, "max": max}


@dataclass(frozen=True)
class Limit:
    """What a fact says of an expression: at least, at most, or anything but a number."""

    of: Expr
    sign: Literal[">=", "<=", "==", "!="]
    number: int

    def within(self, low: int, high: int) -> tuple[int, int]:
        """The bounds that are left of these."""
        number = self.number
        match self.sign:
            case ">=":
                return max(low, number), high
            case "<=":
                return low, min(high, number)
            case "==":
                return max(low, number), min(high, number)
            case "!=":
                return low + (number == low), high - (number == high)


def _limit(fact: Expr) -> Limit | None:
    match fact:
        case Op("lt", (Lit(value), other)):
            return Limit(other, ">=", value + 1)
        case Op("lt", (other, Lit(value))):
            return Limit(other, "<=", value - 1)
        case Op("le", (Lit(value), other)) | Op("not", (Op("lt", (other, Lit(value))),)):
            return Limit(other, ">=", value)
        case Op("le", (other, Lit(value))) | Op("not", (Op("lt", (Lit(value), other)),)):
            return Limit(other, "<=", value)
        case Op("eq", (other, Lit(value))):
            return Limit(other, "==", value)
        case Op("not", (Op("eq", (other, Lit(value))),)):
            return Limit(other, "!=", value)
        case _:
            return None


def fits(expr: Expr, kind: Type, facts: list[Expr]) -> bool:
    """Is the value certainly one of the type's?"""
    low, high = bounds(expr, facts)
    allowed = type_values(kind)
    return allowed.start <= low and high < allowed.stop


def certain_side(op: str, left: Expr, right: Expr, facts: list[Expr]) -> Expr | None:
    """The side that is the min or max wherever the facts hold, if the other is a constant."""
    for one, other in ((left, right), (right, left)):
        if isinstance(other, Lit):
            low, high = bounds(one, facts)
            if (high <= other.value) if op == "min" else (low >= other.value):
                return one
    return None


def is_total(expr: Expr, facts: list[Expr], system: System) -> bool:
    """Has it a meaning wherever the facts hold, when it is read from left to right and no further than needed?

    What is not total must be worked out in that order, or a fault would show that the rules do not have.
    """
    match expr:
        case Op("and" | "or" as op, args):
            known = facts
            for arg in args:
                if not is_total(arg, known, system):
                    return False
                known = conjuncts([*known, arg if op == "and" else negate(arg)])
            return True
        case Ite(condition, then, otherwise):
            return (
                is_total(condition, facts, system)
                and is_total(then, conjuncts([*facts, condition]), system)
                and is_total(otherwise, conjuncts([*facts, negate(condition)]), system)
            )
        case Field(constructor, _, arg):
            if not _is_made_by(constructor, arg, facts):
                return False
        case Cast(arg, kind):
            if not fits(arg, kind, facts):
                return False
        case Get(var, index):
            if not all(fits(arg, kind, facts) for arg, kind in zip(index, system.variable(var).index, strict=True)):
                return False
        case Inject(constructor, args, kind):
            fields = kind.constructors[constructor].fields
            if not all(fits(arg, field, facts) for arg, field in zip(args, fields, strict=True)):
                return False
    return all(is_total(child, facts, system) for child in children(expr))


def _is_made_by(constructor: int, arg: Expr, facts: list[Expr]) -> bool:
    """Do the facts say by which constructor a union's value was made, or that it was made by none of the others?"""
    assert isinstance(arg.type, UnionType)
    others = (Is(i, arg) for i in range(len(arg.type.constructors)) if i != constructor)
    return Is(constructor, arg) in facts or all(negate(other) in facts for other in others)
