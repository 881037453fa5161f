"""Constructors that simplify as they build. What is constant under the chosen rulings folds away here.

Nothing that may be without a meaning is dropped: `rank[Card(n)] >= 1` is true of every rank there is, but stays as it
is, so that whether there is a card n can still be asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import assert_never

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
    locals_in,
    rebuild,
    remembered,
)
from hanabi_formal.kernel.operators import (
    ARITHMETIC,
    COMPARISONS,
    DECIDING,
    QUANTIFIERS,
    Arithmetic,
    Comparison,
    Interval,
    Junction,
    Operator,
    Quantifier,
)
from hanabi_formal.kernel.types import BOOL, IntType, Type, UnionType, type_size, type_values

TRUE = Lit(1, BOOL)
FALSE = Lit(0, BOOL)


def number(value: int) -> Lit:
    return Lit(value, IntType(value, value))


def boolean(value: bool) -> Lit:
    return TRUE if value else FALSE


def interval(expr: Expr) -> Interval:
    """The bounds that the type gives, or the value of a constant."""
    if isinstance(expr, Lit):
        return expr.value, expr.value
    kind = expr.type
    return (kind.low, kind.high) if isinstance(kind, IntType) else (0, type_size(kind) - 1)


def is_total(expr: Expr) -> bool:
    """Has it a meaning in every state, by the types alone? If in doubt, not: the index of a map may be any number."""
    return remembered(expr, "total", lambda: _is_total(expr))


def _is_total(expr: Expr) -> bool:
    match expr:
        case Cast(arg, kind):
            here = _within(arg, kind)
        case Inject(constructor, args, kind):
            here = all(map(_within, args, kind.constructors[constructor].fields))
        case Get(index=index):
            here = not any(isinstance(arg.type, IntType) for arg in index)
        case Lit() | Local() | Attr() | Op() | Ite() | Quant() | Is() | Field() | Ended():
            here = True
        case _:
            assert_never(expr)
    return here and all(map(is_total, children(expr)))


def _within(arg: Expr, kind: Type) -> bool:
    """Is it, by its type, a value of another?"""
    low, high = interval(arg)
    values = type_values(kind)
    return values.start <= low and high < values.stop


def conj(*args: Expr) -> Expr:
    return _joined("and", args)


def disj(*args: Expr) -> Expr:
    return _joined("or", args)


def _joined(op: Junction, args: tuple[Expr, ...]) -> Expr:
    """All parts, read from left to right up to the first that decides; what comes after it is never read."""
    deciding = boolean(bool(DECIDING[op]))
    flat: list[Expr] = []
    for arg in args:
        parts = arg.args if isinstance(arg, Op) and arg.op == op else (arg,)
        for part in parts:
            if part == deciding:
                while flat and is_total(flat[-1]):
                    flat.pop()
                return Op(op, (*flat, deciding), BOOL) if flat else deciding
            if not (isinstance(part, Lit) and part.type == BOOL) and part not in flat:
                flat.append(part)
    if not flat:
        return negate(deciding)
    return flat[0] if len(flat) == 1 else Op(op, tuple(flat), BOOL)


def negate(arg: Expr) -> Expr:
    if isinstance(arg, Lit):
        return boolean(not arg.value)
    if isinstance(arg, Op) and arg.op == "not":
        return arg.args[0]
    return Op("not", (arg,), BOOL)


def equal(left: Expr, right: Expr) -> Expr:
    if isinstance(left, Lit) and isinstance(right, Lit):
        return boolean(left.value == right.value)
    if left == right and is_total(left):
        return TRUE
    if isinstance(left, Lit):
        left, right = right, left
    if left.type == BOOL and isinstance(right, Lit):
        return left if right.value else negate(left)
    if not (is_total(left) and is_total(right)):
        return Op("eq", (left, right), BOOL)
    if isinstance(left, Inject) and isinstance(right, Lit):
        which, fields = left.type.decode(right.value)
        if which != left.constructor:
            return FALSE
        kinds = left.type.constructors[which].fields
        return conj(*(equal(a, Lit(v, k)) for a, v, k in zip(left.args, fields, kinds, strict=True)))
    if isinstance(left, Inject) and isinstance(right, Inject):
        if left.constructor != right.constructor:
            return FALSE
        return conj(*(equal(a, b) for a, b in zip(left.args, right.args, strict=True)))
    if isinstance(left, Cast) and isinstance(right, Lit):
        kind = left.arg.type
        return equal(left.arg, Lit(right.value, kind)) if right.value in type_values(kind) else FALSE
    return _compared("eq", left, right)


def less(left: Expr, right: Expr, or_equal: bool) -> Expr:
    return _compared("le" if or_equal else "lt", left, right)


def _compared(op: Comparison, left: Expr, right: Expr) -> Expr:
    known = by_types(op, left, right) if is_total(left) and is_total(right) else None
    return Op(op, (left, right), BOOL) if known is None else boolean(known)


def by_types(op: Comparison, left: Expr, right: Expr) -> bool | None:
    """What the types say of a comparison, where both sides have a meaning; None if they leave it open."""
    return COMPARISONS[op].decided(interval(left), interval(right))


def arith(op: Arithmetic, left: Expr, right: Expr) -> Expr:
    """An operation on numbers, with the interval that follows. Division is by positive constants only."""
    meaning = ARITHMETIC[op]
    if meaning.right_unit is not None and right == number(meaning.right_unit):
        return left
    if meaning.left_unit is not None and left == number(meaning.left_unit):
        return right
    match op:
        case "mod" if interval(left)[0] >= 0 and interval(left)[1] < interval(right)[0]:
            return left
        case "min" | "max":
            for one, other in ((left, right), (right, left)):
                less_, more = (one, other) if op == "min" else (other, one)
                if by_types("le", less_, more) and is_total(other):
                    return one
    if isinstance(left, Lit) and isinstance(right, Lit):
        return number(meaning.apply(left.value, right.value))
    return Op(op, (left, right), IntType(*meaning.interval(interval(left), interval(right))))


def ite(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
    if isinstance(condition, Lit):
        return then if condition.value else otherwise
    if then == otherwise and is_total(condition):
        return then
    if then.type == BOOL:
        if then == TRUE:
            return disj(condition, otherwise)
        if then == FALSE:
            return conj(negate(condition), otherwise)
        if otherwise == TRUE:
            return disj(negate(condition), then)
        if otherwise == FALSE:
            return conj(condition, then)
    return Ite(condition, then, otherwise)


def inject(kind: UnionType, constructor: int, args: tuple[Expr, ...]) -> Expr:
    kinds = kind.constructors[constructor].fields
    if all(isinstance(arg, Lit) and _within(arg, allowed) for arg, allowed in zip(args, kinds, strict=True)):
        return Lit(kind.encode(constructor, tuple(arg.value for arg in args if isinstance(arg, Lit))), kind)
    return Inject(constructor, args, kind)


def is_made_by(constructor: int, arg: Expr) -> Expr:
    assert isinstance(arg.type, UnionType)
    if isinstance(arg, Lit):
        return boolean(arg.type.decode(arg.value)[0] == constructor)
    if isinstance(arg, Inject) and is_total(arg):
        return boolean(arg.constructor == constructor)
    if len(arg.type.constructors) == 1 and is_total(arg):
        return TRUE
    return Is(constructor, arg)


def field(constructor: int, position: int, arg: Expr) -> Expr:
    assert isinstance(arg.type, UnionType)
    kind = arg.type.constructors[constructor].fields[position]
    if isinstance(arg, Lit):
        which, fields = arg.type.decode(arg.value)
        return Lit(fields[position], kind) if which == constructor else Lit(next(iter(type_values(kind))), kind)
    if isinstance(arg, Inject) and arg.constructor == constructor and is_total(arg):
        return arg.args[position]
    return Field(constructor, position, arg, kind)


def cast(arg: Expr, kind: Type) -> Expr:
    if arg.type == kind:
        return arg
    if isinstance(arg, Lit) and arg.value in type_values(kind):
        return Lit(arg.value, kind)
    if isinstance(arg, Cast) and arg.arg.type == kind:
        return arg.arg
    return Cast(arg, kind)


def quant(kind: Quantifier, binders: tuple[Local, ...], body: Expr) -> Expr:
    """A quantifier; those over nothing, or whose body does not change, fold away."""
    many = prod(type_size(binder.type) for binder in binders)
    if many == 0:
        return _quantified(kind, ())
    if isinstance(body, Lit):
        return number(body.value * many) if kind in ("count", "sum") else body
    if kind == "exists" and len(binders) == 1:
        body = _one_point(binders[0], body)
        if binders[0].name not in locals_in(body):
            return body
    bounds = QUANTIFIERS[kind].interval
    return Quant(kind, binders, body, BOOL if bounds is None else IntType(*bounds(interval(body), many)))


def _quantified(kind: Quantifier, values: Sequence[int]) -> Lit:
    """A quantifier whose body has these values."""
    meaning = QUANTIFIERS[kind]
    found = meaning.apply(values)
    return boolean(bool(found)) if meaning.interval is None else number(found)


def _one_point(binder: Local, body: Expr) -> Expr:
    """`exists x: x == e and φ(x)` is `φ(e)`, with e in the range of x."""
    parts = body.args if isinstance(body, Op) and body.op == "and" else (body,)
    for at, part in enumerate(parts):
        if not (isinstance(part, Op) and part.op == "eq" and binder in part.args):
            continue
        other = part.args[1] if part.args[0] == binder else part.args[0]
        if binder.name in locals_in(other) or not all(map(is_total, (other, *parts[:at]))):
            continue
        low, high = interval(binder)
        bounds = conj(less(number(low), other, True), less(other, number(high), True))
        if isinstance(other.type, IntType):
            rest = [substitute(p, {binder.name: other}) for p in parts if p is not part]
            return conj(bounds, *rest)
        return conj(*(substitute(p, {binder.name: other}) for p in parts if p is not part))
    return body


def op(name: Operator, args: tuple[Expr, ...]) -> Expr:
    """Rebuild an operator from its name, simplifying."""
    match name:
        case "and" | "or":
            return _joined(name, args)
        case "not":
            return negate(args[0])
        case "eq":
            return equal(*args)
        case "lt" | "le":
            return _compared(name, *args)
        case _:
            return arith(name, *args)


def simplify(expr: Expr) -> Expr:
    """Rebuild one node through the simplifying constructors; its children are taken as they are."""
    match expr:
        case Op(name, args):
            return op(name, args)
        case Ite(a, b, c):
            return ite(a, b, c)
        case Quant(kind, binders, body):
            return quant(kind, binders, body)
        case Inject(constructor, args, kind):
            return inject(kind, constructor, args)
        case Is(constructor, arg):
            return is_made_by(constructor, arg)
        case Field(constructor, position, arg):
            return field(constructor, position, arg)
        case Cast(arg, kind):
            return cast(arg, kind)
        case Lit() | Local() | Get() | Attr() | Ended():
            return expr
        case _:
            assert_never(expr)


def substitute(expr: Expr, values: Mapping[str, Expr]) -> Expr:
    """Locals replaced by expressions, simplified on the way up."""
    if isinstance(expr, Local):
        return values.get(expr.name, expr)
    return simplify(rebuild(expr, lambda child: substitute(child, values)))


def instances(body: Expr, binders: tuple[Local, ...]) -> Iterator[Expr]:
    """An expression for each choice of values for bound names."""
    for choice in product(*(type_values(binder.type) for binder in binders)):
        yield substitute(body, {b.name: Lit(v, b.type) for b, v in zip(binders, choice, strict=True)})


MOST_FOLDED = 1000


def folded(expr: Expr) -> Expr:
    """A literal, if the expression depends on nothing; its quantifiers are written out for that."""
    match expr:
        case Quant(kind, binders, body):
            if prod(type_size(binder.type) for binder in binders) > MOST_FOLDED:
                return expr
            parts = []
            for part in map(folded, instances(body, binders)):
                if not isinstance(part, Lit):
                    return expr
                parts.append(part.value)
            return _quantified(kind, parts)
        case _:
            return simplify(rebuild(expr, folded))
