"""What is known of an expression's value where it stands: its type, sharpened by the conditions that hold there."""

from __future__ import annotations

from collections.abc import Iterable

from hanabi_formal.kernel.build import interval
from hanabi_formal.kernel.expr import Cast, Expr, Get, Lit, Op


def conjuncts(conditions: Iterable[Expr]) -> list[Expr]:
    found: list[Expr] = []
    for condition in conditions:
        if isinstance(condition, Op) and condition.op == "and":
            found += conjuncts(condition.args)
        elif isinstance(condition, Op) and condition.op == "not" and _is(condition.args[0], "or"):
            inner = condition.args[0]
            assert isinstance(inner, Op)
            found += conjuncts(Op("not", (arg,), arg.type) for arg in inner.args)  # type: ignore[arg-type]
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
