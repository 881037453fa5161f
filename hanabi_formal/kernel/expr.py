"""Expressions of the kernel: typed, closed under substitution, without names to resolve.

A new kind of expression is a class here and a member of `Expr`. Every reading goes through all members and ends in
`assert_never`, so mypy then names the places where the new one is missing (`tests/test_kernel.py` keeps the list true):

- `kernel/expr.py` `children`, `rebuild`: what it is made of
- `kernel/build.py` `_is_total`, `simplify`: whether it has a meaning everywhere, and how it folds
- `kernel/defined.py` `_defined`: where it has a meaning
- `kernel/printer.py` `Printer.expr`: how it is shown
- `run/readings.py` `Readings._read`: what it means, the definition
- `smt/translate.py` `Translator.expr`: the same as a term
- `sat/encode/grounding.py` `Grounder._ground`: the same as nodes, of which clauses are made
- `prove/induction/initial_state.py` `AtStart._value`: the same in the first state of any deal

The compiled rules (`run/compiler/emit.py`) ask for numbers and for truths in turn, which mypy cannot follow: there the
test looks. A new operator or quantifier is a name and a row in `kernel/operators.py`; what must know it ends in
`assert_never` too.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import TypeVar, assert_never

from hanabi_formal.kernel.operators import Operator, Quantifier
from hanabi_formal.kernel.types import BOOL, BoolType, IntType, Type, UnionType, type_size


@dataclass(frozen=True)
class Lit:
    """A constant."""

    value: int
    type: Type


@dataclass(frozen=True)
class Local:
    """A bound variable or an action's parameter. Names are unique within a system."""

    name: str
    type: Type


@dataclass(frozen=True)
class Get:
    """A state variable, at an index if it is a map; `primed` is its value after the step."""

    var: str
    index: tuple[Expr, ...]
    type: Type
    primed: bool = False


@dataclass(frozen=True)
class Attr:
    """A rigid attribute of a card: fixed by the deal."""

    name: str
    card: Expr
    type: Type


@dataclass(frozen=True)
class Op:
    """Arithmetic (add sub mul div mod min max), comparison (eq lt le) and logic (and or not)."""

    op: Operator
    args: tuple[Expr, ...]
    type: Type


@dataclass(frozen=True)
class Ite:
    condition: Expr
    then: Expr
    otherwise: Expr

    @cached_property
    def type(self) -> Type:
        left, right = self.then.type, self.otherwise.type
        if isinstance(left, IntType) and isinstance(right, IntType):
            return IntType(min(left.low, right.low), max(left.high, right.high))
        return left


@dataclass(frozen=True)
class Quant:
    """exists, forall, count, sum, min or max over all values of the binders."""

    kind: Quantifier
    binders: tuple[Local, ...]
    body: Expr
    type: Type


@dataclass(frozen=True)
class Inject:
    """A value of a union made from its fields."""

    constructor: int
    args: tuple[Expr, ...]
    type: UnionType


@dataclass(frozen=True)
class Is:
    """Was this union value made by that constructor?"""

    constructor: int
    arg: Expr
    type: BoolType = BOOL


@dataclass(frozen=True)
class Field:
    """A field of a union value; meaningful only where `Is` holds."""

    constructor: int
    position: int
    arg: Expr
    type: Type


@dataclass(frozen=True)
class Cast:
    """The individual with that number, or the number of that individual."""

    arg: Expr
    type: Type


@dataclass(frozen=True)
class Ended:
    """Has the game ended: at all (-1), or by that end?"""

    end: int
    primed: bool = False
    type: BoolType = BOOL


Expr = Lit | Local | Get | Attr | Op | Ite | Quant | Inject | Is | Field | Cast | Ended
Remembered = TypeVar("Remembered")


def children(expr: Expr) -> tuple[Expr, ...]:
    match expr:
        case Lit() | Local() | Ended():
            return ()
        case Get(index=index):
            return index
        case Attr(card=card):
            return (card,)
        case Op(args=args) | Inject(args=args):
            return args
        case Ite(a, b, c):
            return (a, b, c)
        case Quant(body=body):
            return (body,)
        case Is(arg=arg) | Field(arg=arg) | Cast(arg=arg):
            return (arg,)
        case _:
            assert_never(expr)


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and everything in it, outermost first."""
    stack = [expr]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children(node)))


def rebuild(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """The same node with `change` applied to its children."""
    match expr:
        case Lit() | Local() | Ended():
            return expr
        case Get(index=index):
            return replace(expr, index=tuple(map(change, index))) if index else expr
        case Attr(card=card):
            return replace(expr, card=change(card))
        case Op(args=args) | Inject(args=args):
            return replace(expr, args=tuple(map(change, args)))
        case Ite(a, b, c):
            return Ite(change(a), change(b), change(c))
        case Quant(body=body):
            return replace(expr, body=change(body))
        case Is(arg=arg) | Field(arg=arg) | Cast(arg=arg):
            return replace(expr, arg=change(arg))
        case _:
            assert_never(expr)


def remembered(expr: Expr, what: Hashable, make: Callable[[], Remembered]) -> Remembered:
    """Something worked out from an expression alone, kept with it: expressions never change."""
    known = expr.__dict__.setdefault("_remembered", {})
    if what not in known:
        known[what] = make()
    found: Remembered = known[what]
    return found


def locals_in(expr: Expr) -> frozenset[str]:
    """Free locals: those not bound inside."""
    return remembered(expr, "locals", lambda: _locals_in(expr))


def _locals_in(expr: Expr) -> frozenset[str]:
    match expr:
        case Local(name):
            return frozenset((name,))
        case Quant(binders=binders, body=body):
            return locals_in(body) - {binder.name for binder in binders}
        case _:
            found: frozenset[str] = frozenset()
            for child in children(expr):
                found |= locals_in(child)
            return found


def cases_in(expr: Expr) -> int:
    """How many cases quantifiers within one another go through, where they are nested most."""
    return remembered(expr, "cases", lambda: _cases_in(expr))


def _cases_in(expr: Expr) -> int:
    most = max(map(cases_in, children(expr)), default=1)
    return most * prod(type_size(binder.type) for binder in expr.binders) if isinstance(expr, Quant) else most


def vars_in(expr: Expr) -> frozenset[str]:
    """The state variables it reads."""
    return remembered(expr, "vars", lambda: frozenset(node.var for node in walk(expr) if isinstance(node, Get)))
