"""Quantifiers written out: the body once for every value of the names it binds."""

from __future__ import annotations

from itertools import product
from math import prod

from hanabi_formal.kernel.build import substitute
from hanabi_formal.kernel.expr import Expr, Lit, Local, Quant, children
from hanabi_formal.kernel.types import type_size, type_values
from hanabi_formal.run.compiler.layout import is_big

MOST = 64
MOST_NESTED = 4096


def instances(binders: tuple[Local, ...], body: Expr, in_mask: bool) -> list[Expr] | None:
    """The body for every value of the binders, unless there are too many."""
    many = prod(type_size(binder.type) for binder in binders)
    if many > MOST or many * copies(body, in_mask) > MOST_NESTED:
        return None
    return [
        substitute(body, {b.name: Lit(v, b.type) for b, v in zip(binders, values, strict=True)})
        for values in product(*(type_values(binder.type) for binder in binders))
    ]


def copies(expr: Expr, in_mask: bool) -> int:
    """How many copies of its innermost parts there are when all quantifiers of an expression are written out.

    Outside of a mask, one binder over many individuals becomes a mask itself.
    """
    if not isinstance(expr, Quant):
        return max((copies(child, in_mask) for child in children(expr)), default=1)
    sizes = [type_size(binder.type) for binder in expr.binders]
    big = [type_size(binder.type) for binder in expr.binders if is_big(binder.type)]
    if big and not in_mask:
        return prod(sizes) // big[-1] * copies(expr.body, True)
    return prod(sizes) * copies(expr.body, in_mask)
