"""How far a state is from a condition: 0 where it holds, and more the more there is left to do."""

from __future__ import annotations

from functools import reduce

from hanabi_formal.kernel.build import arith, ite, negate, number, quant
from hanabi_formal.kernel.expr import Expr, Op, Quant
from hanabi_formal.kernel.types import IntType
from hanabi_formal.smt.translate import is_large


def distance(condition: Expr) -> Expr:
    """A number made of the condition's own parts."""
    match condition:
        case Op("and", args):
            return reduce(lambda a, b: arith("add", a, b), map(distance, args))
        case Op("or", args):
            return reduce(lambda a, b: arith("min", a, b), map(distance, args))
        case Op("eq", (left, right)) if isinstance(left.type, IntType):
            return arith("sub", arith("max", left, right), arith("min", left, right))
        case Op("le", (left, right)):
            return _excess(left, right)
        case Op("lt", (left, right)):
            return _excess(arith("add", left, number(1)), right)
        case Op("not", (Op("le", (left, right)),)):
            return _excess(arith("add", right, number(1)), left)
        case Op("not", (Op("lt", (left, right)),)):
            return _excess(right, left)
        case Op("not", (Op("and" | "or" as op, args),)):
            return distance(Op("or" if op == "and" else "and", tuple(map(negate, args)), condition.type))
        case Op("not", (Quant("exists" | "forall" as kind, binders, body),)) if not _is_wide(binders):
            return quant("sum" if kind == "exists" else "min", binders, distance(negate(body)))
        case Quant("exists" | "forall" as kind, binders, body) if not _is_wide(binders):
            return quant("sum" if kind == "forall" else "min", binders, distance(body))
        case Quant("forall", binders, body):
            return quant("count", binders, negate(body))
        case Op("not", (Quant("exists", binders, body),)):
            return quant("count", binders, body)
        case _:
            return ite(condition, number(0), number(1))


def _excess(left: Expr, right: Expr) -> Expr:
    return arith("max", number(0), arith("sub", left, right))


def _is_wide(binders: tuple[Expr, ...]) -> bool:
    return any(is_large(binder.type) for binder in binders)
