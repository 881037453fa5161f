"""Expressions read elsewhere: with a variable at a given value, where the game has ended, or after the step."""

from __future__ import annotations

from dataclasses import replace

from hanabi_formal.kernel.build import boolean, simplify
from hanabi_formal.kernel.expr import Ended, Expr, Get, rebuild


def fix_variable(expr: Expr, var: str, value: Expr) -> Expr:
    """A state variable without index replaced by an expression, simplified on the way up."""
    if isinstance(expr, Get) and expr.var == var and not expr.primed:
        return value
    return simplify(rebuild(expr, lambda child: fix_variable(child, var, value)))


def as_ended(expr: Expr, end: int | None) -> Expr:
    """As it reads in a game that has ended so; without an end, in one that goes on."""
    if isinstance(expr, Ended) and not expr.primed:
        return boolean(end is not None and expr.end in (-1, end))
    return simplify(rebuild(expr, lambda child: as_ended(child, end)))


def prime(expr: Expr) -> Expr:
    """The expression in the state after the step; its indices too."""
    expr = rebuild(expr, prime)
    return replace(expr, primed=True) if isinstance(expr, Get | Ended) else expr
