"""What is known of an expression's value where it stands: its type, sharpened by the conditions that hold there."""

from __future__ import annotations

from collections.abc import Iterable

from hanabi_formal.kernel.build import interval, negate
from hanabi_formal.kernel.expr import Cast, Expr, Field, Get, Inject, Is, Ite, Lit, Op, children
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.types import Type, UnionType, type_values


def conjuncts(conditions: Iterable[Expr]) -> list[Expr]:
    found: list[Expr] = []
    for condition in conditions:
        if isinstance(condition, Op) and condition.op == "and":
            found += conjuncts(condition.args)
        elif isinstance(condition, Op) and condition.op == "not" and _is(condition.args[0], "or"):
            inner = condition.args[0]
            assert isinstance(inner, Op)
            found += conjuncts(Op("not", (arg,), arg.type) for arg in inner.args)
        else:
            found.append(condition)
    return found


def _is(expr: Expr, op: str) -> bool:
    return isinstance(expr, Op) and expr.op == op


def bounds(expr: Expr, facts: list[Expr]) -> tuple[int, int]:
    """An interval that holds the value, given facts that are true."""
    low, high = interval(expr)
    match expr:
        case Op("add", (a, b)):
            (p, q), (r, s) = bounds(a, facts), bounds(b, facts)
            low, high = max(low, p + r), min(high, q + s)
        case Op("sub", (a, b)):
            (p, q), (r, s) = bounds(a, facts), bounds(b, facts)
            low, high = max(low, p - s), min(high, q - r)
        case Op("min", (a, b)):
            (p, q), (r, s) = bounds(a, facts), bounds(b, facts)
            low, high = max(low, min(p, r)), min(high, min(q, s))
        case Op("max", (a, b)):
            (p, q), (r, s) = bounds(a, facts), bounds(b, facts)
            low, high = max(low, max(p, r)), min(high, max(q, s))
        case Cast(arg):
            p, q = bounds(arg, facts)
            low, high = max(low, p), min(high, q)
        case Get():
            for fact in facts:
                low, high = _sharpen(expr, fact, low, high)
    return low, high


def _sharpen(expr: Expr, fact: Expr, low: int, high: int) -> tuple[int, int]:
    match fact:
        case Op("lt", (Lit(value), other)) if other == expr:
            low = max(low, value + 1)
        case Op("lt", (other, Lit(value))) if other == expr:
            high = min(high, value - 1)
        case Op("le", (Lit(value), other)) if other == expr:
            low = max(low, value)
        case Op("le", (other, Lit(value))) if other == expr:
            high = min(high, value)
        case Op("eq", (other, Lit(value))) if other == expr:
            low, high = max(low, value), min(high, value)
        case Op("not", (Op("eq", (other, Lit(value))),)) if other == expr:
            low = low + 1 if value == low else low
            high = high - 1 if value == high else high
        case Op("not", (Op("lt", (Lit(value), other)),)) if other == expr:
            high = min(high, value)
        case Op("not", (Op("lt", (other, Lit(value))),)) if other == expr:
            low = max(low, value)
    return low, high


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
