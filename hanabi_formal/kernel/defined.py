"""Where an expression has a meaning: every individual named by a number exists, every index and field is in its range.

Expressions are read from left to right and no further than needed, so `n < size and place[Card(n)] == x` asks nothing
of `Card(n)` where the first part is false.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from hanabi_formal.kernel.build import TRUE, conj, disj, interval, less, negate, number, quant
from hanabi_formal.kernel.expr import (
    Attr,
    Cast,
    Ended,
    Expr,
    Field,
    Get,
    Inject,
    Is,
    Ite,
    Lit,
    Local,
    Op,
    Quant,
    children,
)
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.types import Type, type_values


def defined(system: System, *exprs: Expr) -> Expr:
    """That they all have a meaning; `true` where the types say so."""
    return conj(*(_defined(system, expr) for expr in exprs))


def one_after_the_other(system: System, exprs: Iterable[Expr], until: bool) -> Expr:
    """The same of conditions that are tried in their order until one is as given."""
    found: Expr = TRUE
    passed: Expr = TRUE
    for expr in exprs:
        found = conj(found, implies(passed, _defined(system, expr)))
        passed = conj(passed, negate(expr) if until else expr)
    return found


def always_defined(system: System) -> Expr:
    """Of all that is read in a state after a step, or in the first one: guards, ends, the score and what is seen."""
    ended = Ended(-1)
    found = [one_after_the_other(system, (end.condition for end in system.ends), until=True)]
    found.append(disj(ended, _defined(system, system.score)))
    found += [disj(negate(Ended(which)), _defined(system, end.score)) for which, end in enumerate(system.ends)]
    if system.bands is not None:
        found.append(disj(negate(ended), _defined(system, system.bands.condition)))
    for action in system.actions:
        guards = one_after_the_other(system, (guard.condition for guard in action.guards), until=False)
        found.append(disj(ended, quant("forall", action.params, guards) if action.params else guards))
    if system.view is not None:
        for sight in system.view.sights:
            seen = conj(_defined(system, sight.where), implies(sight.where, defined(system, *sight.facts)))
            found.append(quant("forall", (system.view.seat, *sight.binders), seen))
    return conj(*found)


def always_started(system: System) -> Expr:
    """Of what variables are said to be at the start."""
    return conj(*(quant("forall", init.binders, _defined(system, init.value)) for init in system.inits))


def implies(premise: Expr, conclusion: Expr) -> Expr:
    return disj(negate(premise), conclusion)


def _defined(system: System, expr: Expr) -> Expr:
    match expr:
        case Op("and" | "or" as op, args):
            return one_after_the_other(system, args, until=op == "or")
        case Ite(condition, then, otherwise):
            return conj(
                _defined(system, condition),
                implies(condition, _defined(system, then)),
                implies(negate(condition), _defined(system, otherwise)),
            )
        case Quant(binders=binders, body=body):
            return quant("forall", binders, _defined(system, body))
        case Cast(_, kind):
            needed: tuple[Type, ...] = (kind,)
        case Get(var):
            needed = system.variable(var).index
        case Inject(constructor, _, kind):
            needed = kind.constructors[constructor].fields
        case Lit() | Local() | Attr() | Op() | Is() | Field() | Ended():
            return defined(system, *children(expr))
        case _:
            assert_never(expr)
    parts = children(expr)
    return conj(defined(system, *parts), *(_is_in(part, kind) for part, kind in zip(parts, needed, strict=True)))


def _is_in(arg: Expr, kind: Type) -> Expr:
    low, high = interval(arg)
    values = type_values(kind)
    return conj(
        TRUE if low >= values.start else less(number(values.start), arg, or_equal=True),
        TRUE if high <= values[-1] else less(arg, number(values[-1]), or_equal=True),
    )
