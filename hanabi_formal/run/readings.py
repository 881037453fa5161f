"""Expressions of a System as functions of where they are asked: the meaning of each kind, part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from operator import attrgetter
from typing import assert_never

from hanabi_formal.kernel.expr import Attr, Cast, Ended, Expr, Field, Get, Inject, Is, Ite, Lit, Local, Op, Quant
from hanabi_formal.kernel.operators import BINARY, DECIDING, QUANTIFIERS, Operator, Quantifier
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.types import Type, UnionType, type_first, type_size, type_values
from hanabi_formal.run.faults import Fault, FaultKind

Values = Mapping[str, int | tuple[int, ...]]


@dataclass
class Valuation:
    """Where expressions are evaluated: a state, maybe the next one, a deal, and bound names."""

    values: Values
    faces: tuple[int, ...]
    end: int = 0
    locals: dict[str, int] = field(default_factory=dict)
    after: Values | None = None
    end_after: int = 0


ExprClosure = Callable[[Valuation], int]


def _first(args: list[ExprClosure], scene: Valuation, deciding: int) -> int:
    """The deciding value if one of them has it; what comes after that is not looked at."""
    for arg in args:
        if arg(scene) == deciding:
            return deciding
    return 1 - deciding


def _injected(kind: UnionType, constructor: int, fields: tuple[int, ...]) -> int:
    made = kind.constructors[constructor]
    for value, allowed in zip(fields, made.fields, strict=True):
        if value not in type_values(allowed):
            raise Fault(FaultKind.NOT_THERE, f"`{made.name}` takes {allowed.name}, not {value}")
    return kind.encode(constructor, fields)


def _within(value: int, allowed: range, name: str) -> int:
    if value not in allowed:
        raise Fault(FaultKind.NOT_THERE, f"there is no {name} number {value}")
    return value


IndexShape = tuple[tuple[int, int], ...]


def shape_of(kinds: tuple[Type, ...]) -> IndexShape:
    """First value and number of values of each index of a map."""
    return tuple((type_first(kind), type_size(kind)) for kind in kinds)


def digit_in(allowed: tuple[int, int], value: int) -> int:
    first, size = allowed
    if not 0 <= value - first < size:
        raise Fault(FaultKind.NOT_THERE, f"the index {value} is not in {first}..{first + size - 1}")
    return value - first


def place_in(shape: IndexShape, index: Sequence[int]) -> int:
    """Where a map of that shape keeps the value at an index."""
    at = 0
    for allowed, value in zip(shape, index, strict=True):
        at = at * allowed[1] + digit_in(allowed, value)
    return at


def position(kinds: tuple[Type, ...], index: tuple[int, ...]) -> int:
    """Where a map with such indices keeps the value at one."""
    return place_in(shape_of(kinds), index)


class Readings:
    """Every expression is read once, part by part; what it then is, is a function from a scene to its value."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.variables = {var.name: var for var in system.variables}
        self.shapes = {var.name: shape_of(var.index) for var in system.variables}
        self._readings: dict[int, tuple[Expr, ExprClosure]] = {}

    def evaluate(self, expr: Expr, scene: Valuation) -> int:
        return self.reading(expr)(scene)

    def reading(self, expr: Expr) -> ExprClosure:
        # By identity: to compare expressions takes as long as to read them.
        known = self._readings.get(id(expr))
        if known is None:
            known = self._readings[id(expr)] = expr, self._read(expr)
        return known[1]

    def _read(self, expr: Expr) -> ExprClosure:
        match expr:
            case Lit(value):
                return lambda scene: value
            case Local(name):
                return lambda scene: scene.locals[name]
            case Get():
                return self._read_get(expr)
            case Attr(name, card):
                deck = self.system.deck
                assert deck is not None
                of_face, which = [face[deck.attribute(name)] for face in deck.faces], self.reading(card)
                return lambda scene: of_face[scene.faces[which(scene)]]
            case Op(op, args):
                return self._read_op(op, [self.reading(arg) for arg in args])
            case Ite(condition, then, otherwise):
                test, yes, no = self.reading(condition), self.reading(then), self.reading(otherwise)
                return lambda scene: yes(scene) if test(scene) else no(scene)
            case Quant(kind, binders, body):
                return self._read_quantifier(kind, binders, self.reading(body))
            case Inject(constructor, args, union):
                fields = [self.reading(arg) for arg in args]
                return lambda scene: _injected(union, constructor, tuple(field(scene) for field in fields))
            case Is(constructor, arg):
                made = self._read_union(arg)
                return lambda scene: int(made(scene)[0] == constructor)
            case Field(constructor, place, arg, kind):
                parts, other = self._read_union(arg), type_first(kind)
                return lambda scene: parts(scene)[1][place] if parts(scene)[0] == constructor else other
            case Cast(arg, kind):
                number, allowed, name = self.reading(arg), type_values(kind), kind.name
                return lambda scene: _within(number(scene), allowed, name)
            case Ended(end, primed):
                now: ExprClosure = attrgetter("end_after" if primed else "end")
                return lambda scene: int(now(scene) > 0 if end < 0 else now(scene) == end + 1)
            case _:
                assert_never(expr)

    def _read_get(self, expr: Get) -> ExprClosure:
        values: Callable[[Valuation], Values] = attrgetter("after" if expr.primed else "values")
        var = expr.var
        index, shape = [self.reading(part) for part in expr.index], self.shapes[var]
        if not index:
            return lambda scene: values(scene)[var]  # type: ignore[return-value]
        if len(index) == 1:
            only, single = index[0], shape[0]
            return lambda scene: values(scene)[var][digit_in(single, only(scene))]  # type: ignore[index]
        return lambda scene: values(scene)[var][place_in(shape, [at(scene) for at in index])]  # type: ignore[index]

    def _read_union(self, arg: Expr) -> Callable[[Valuation], tuple[int, tuple[int, ...]]]:
        """Which constructor made a value, and of what."""
        union, made = arg.type, self.reading(arg)
        assert isinstance(union, UnionType)
        return lambda scene: union.decode(made(scene))

    @staticmethod
    def _read_op(op: Operator, args: list[ExprClosure]) -> ExprClosure:
        match op:
            case "and" | "or":
                deciding = DECIDING[op]
                return lambda scene: _first(args, scene, deciding)
            case "not":
                return lambda scene: 1 - args[0](scene)
        (left, right), work = args, BINARY[op]
        return lambda scene: work(left(scene), right(scene))

    def bindings(self, binders: tuple[Local, ...], scene: Valuation) -> Iterator[tuple[int, ...]]:
        """Set the binders to each of their values in turn."""
        if len(binders) == 1:
            name = binders[0].name
            for only in type_values(binders[0].type):
                scene.locals[name] = only
                yield (only,)
            return
        for values in product(*(type_values(binder.type) for binder in binders)):
            for binder, value in zip(binders, values, strict=True):
                scene.locals[binder.name] = value
            yield values

    def _read_quantifier(self, kind: Quantifier, binders: tuple[Local, ...], body: ExprClosure) -> ExprClosure:
        whole = QUANTIFIERS[kind].apply
        return lambda scene: int(whole(body(scene) for _ in self.bindings(binders, scene)))
