"""Terms made quickly.

Z3's own Python operators look up and compare the sorts of their arguments each time, where half of the time of a proof
went. The kernel is typed: all of that is known.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import z3
from z3 import z3core

Term = Any  # z3.ArithRef or z3.BoolRef; Z3's own stubs do not tell them apart

_CONTEXT = z3.main_ctx()
_REF = _CONTEXT.ref()
TRUE = z3.BoolVal(True)
FALSE = z3.BoolVal(False)


@cache
def whole(value: int) -> Term:
    return z3.IntVal(value)


def _several(make: Any, args: tuple[Term, ...], empty: Term) -> Term:
    if len(args) <= 1:
        return args[0] if args else empty
    asts = (z3.Ast * len(args))(*(arg.ast for arg in args))
    return z3.BoolRef(make(_REF, len(args), asts), _CONTEXT)


def all_of(*args: Term) -> Term:
    return _several(z3core.Z3_mk_and, tuple(arg for arg in args if arg is not TRUE), TRUE)


def any_of(*args: Term) -> Term:
    return _several(z3core.Z3_mk_or, tuple(arg for arg in args if arg is not FALSE), FALSE)


def no(arg: Term) -> Term:
    return z3.BoolRef(z3core.Z3_mk_not(_REF, arg.ast), _CONTEXT)


def implies(condition: Term, then: Term) -> Term:
    if condition is TRUE:
        return then
    return z3.BoolRef(z3core.Z3_mk_implies(_REF, condition.ast, then.ast), _CONTEXT)


def same(a: Term, b: Term) -> Term:
    return z3.BoolRef(z3core.Z3_mk_eq(_REF, a.ast, b.ast), _CONTEXT)


def less(a: Term, b: Term) -> Term:
    return z3.BoolRef(z3core.Z3_mk_lt(_REF, a.ast, b.ast), _CONTEXT)


def at_most(a: Term, b: Term) -> Term:
    return z3.BoolRef(z3core.Z3_mk_le(_REF, a.ast, b.ast), _CONTEXT)


def choose(condition: Term, then: Term, otherwise: Term) -> Term:
    """One of two numbers, or of two conditions."""
    kind = z3.BoolRef if isinstance(then, z3.BoolRef) else z3.ArithRef
    return kind(z3core.Z3_mk_ite(_REF, condition.ast, then.ast, otherwise.ast), _CONTEXT)


def plus(args: Iterable[Term]) -> Term:
    several = tuple(args)
    if len(several) <= 1:
        return several[0] if several else whole(0)
    asts = (z3.Ast * len(several))(*(arg.ast for arg in several))
    return z3.ArithRef(z3core.Z3_mk_add(_REF, len(several), asts), _CONTEXT)


def apply(function: Any, args: tuple[Term, ...], is_condition: bool) -> Term:
    asts = (z3.Ast * len(args))(*(arg.ast for arg in args))
    kind = z3.BoolRef if is_condition else z3.ArithRef
    return kind(z3core.Z3_mk_app(_REF, function.ast, len(args), asts), _CONTEXT)
