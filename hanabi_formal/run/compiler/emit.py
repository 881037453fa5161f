"""Expressions of the kernel to Python expressions: exact values, and conditions of which only the truth counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import prod

from hanabi_formal.kernel.expr import Attr, Cast, Ended, Expr, Field, Get, Inject, Is, Ite, Lit, Local, Op, Quant
from hanabi_formal.kernel.types import BOOL, Type, UnionType, type_first, type_size, type_values
from hanabi_formal.run.compiler import code as py
from hanabi_formal.run.compiler.bounds import bounds, certain_side, conjuncts, fits
from hanabi_formal.run.compiler.code import PyExpr
from hanabi_formal.run.compiler.layout import END, Listed, Packed, Planes, Scalar, strides
from hanabi_formal.run.compiler.quantifiers import QuantifierEmitter

_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "//", "mod": "%", "eq": "==", "lt": "<", "le": "<="}
SHORT = 24


class Emitter(QuantifierEmitter):
    """Emits what a function reads, under names of its own."""

    @contextmanager
    def knowing(self, *conditions: Expr) -> Iterator[None]:
        """What is emitted inside stands where these are true too."""
        before = self.facts
        self.facts = conjuncts([*before, *conditions])
        yield
        self.facts = before

    # ---- values --------------------------------------------------------------------------------
    def value(self, expr: Expr) -> PyExpr:
        """An expression that gives exactly the number."""
        match expr:
            case Lit(value):
                return value
            case Local(name):
                return self.names[name]
            case Get():
                return self._get(expr)
            case Attr(name, card):
                return py.subscript(self.tables.attribute_of_face(name), py.subscript(self.table(0), self.value(card)))
            case Op("min" | "max" as op, (left, right)):
                certain = certain_side(op, left, right, self.facts)
                return self.value(certain) if certain else extremum(op, self.value(left), self.value(right))
            case Op(op, args) if op in _SIGNS and expr.type != BOOL:
                return py.infix(_SIGNS[op], self.value(args[0]), self.value(args[1]))
            case Ite():
                return self._choice(expr, self.value)
            case Quant(kind, binders, body):
                return self.quantified(kind, binders, body)
            case Inject(constructor, args, kind):
                fields = kind.constructors[constructor].fields
                within = ((self.within(arg, field), field) for arg, field in zip(args, fields, strict=True))
                return py.infix("+", kind.offsets[constructor], py.numbered(within))
            case Field(constructor, place, arg):
                assert isinstance(arg.type, UnionType)
                return field_of(arg.type, constructor, place, self.value(arg))
            case Cast(arg, kind):
                return self.within(arg, kind)
            case _:
                return py.one_if(self.truth(expr))

    def within(self, expr: Expr, kind: Type) -> PyExpr:
        """The value where one of that type is needed, with a test unless it is certain."""
        if fits(expr, kind, self.facts):
            return self.value(expr)
        allowed = type_values(kind)
        return py.apply("within", self.value(expr), allowed.start, allowed[-1])

    def _choice(self, expr: Ite, emit: Callable[[Expr], PyExpr]) -> PyExpr:
        cases = []
        rest: Expr = expr
        while isinstance(rest, Ite):
            cases.append((emit(rest.then), self.truth(rest.condition)))
            rest = rest.otherwise
        return py.Ternary(tuple(cases), emit(rest))

    def _get(self, expr: Get) -> PyExpr:
        kept = self.layout.kept[expr.var]
        match kept:
            case Scalar(slot):
                return self.slot(slot)
            case Listed(slot):
                return py.subscript(self.slot(slot), self.offset(expr))
            case Planes():
                at = self.value(expr.index[0])
                return search([py.has_bit(self.slot(slot), at) for slot in kept.slots[:-1]], kept.first)
            case Packed():
                at = self.bit(expr, kept)
                return search([py.has_bit(self.slot(slot), at) for slot in kept.slots[1:]], kept.first + 1, kept.first)

    def offset(self, expr: Get, skip: int | None = None) -> PyExpr:
        """Position along all indices but the skipped one."""
        kinds = self.layout.system.variable(expr.var).index
        terms = [
            py.times(py.minus(self.within(arg, kind), type_first(kind)), step)
            for arg, kind, step in zip(expr.index, kinds, strides(kinds, skip), strict=True)
            if step
        ]
        return py.infix("+", *terms)

    def shift(self, expr: Get, kept: Packed) -> PyExpr:
        """Where the individuals' bits for the other indices begin."""
        return py.infix("*", self.offset(expr, kept.big), kept.size)

    def bit(self, expr: Get, kept: Packed) -> PyExpr:
        return py.infix("+", self.shift(expr, kept), self.value(expr.index[kept.big]))

    # ---- truth ---------------------------------------------------------------------------------
    def truth(self, expr: Expr) -> PyExpr:
        """A condition: any number but 0 counts as true."""
        match expr:
            case Lit(value):
                return bool(value)
            case Op("and" | "or" as op, args):
                return py.infix(op, *map(self.truth, args))
            case Op("not", (Op("eq", (left, right)),)) if not self._plane_test(left, right):
                return py.infix("!=", self.value(left), self.value(right))
            case Op("not", (arg,)):
                return py.negation(self.truth(arg))
            case Op("eq", (left, right)):
                return self._plane_test(left, right) or py.infix("==", self.value(left), self.value(right))
            case Op("lt" | "le" as op, (left, right)):
                return py.infix(_SIGNS[op], self.value(left), self.value(right))
            case Is(constructor, arg):
                kind = arg.type
                assert isinstance(kind, UnionType)
                low = kind.offsets[constructor]
                return py.infix("<=", low, self.value(arg), low + kind.constructors[constructor].size - 1)
            case Ended(end, _):
                return py.infix(">", self.slot(END), 0) if end < 0 else py.infix("==", self.slot(END), end + 1)
            case Quant("exists" | "forall" as kind, binders, body):
                return self.logical(kind, binders, body)
            case Ite():
                return self._choice(expr, self.truth)
            case _:
                return self.value(expr)

    def _plane_test(self, left: Expr, right: Expr) -> PyExpr | None:
        """`map[i] == v` where the map is kept as masks: one bit of one mask."""
        if not (isinstance(left, Get) and left.index):
            left, right = right, left
        if not (isinstance(left, Get) and left.index):
            return None
        kept = self.layout.kept[left.var]
        if isinstance(kept, Planes):
            return py.has_bit(self.plane(kept, right), self.value(left.index[0]))
        if isinstance(kept, Packed) and isinstance(right, Lit) and right.value != kept.first:
            return py.has_bit(self.slot(kept.slots[right.value - kept.first]), self.bit(left, kept))
        return None

    def plane(self, kept: Planes, value: Expr) -> PyExpr:
        """The mask of the individuals with that value; nobody has one that is outside the map's type."""
        if isinstance(value, Lit):
            return self.slot(kept.slots[value.value - kept.first])
        number = self.value(value)
        if isinstance(value, Inject):
            start = value.type.offsets[value.constructor]
            some = kept.slots[start : start + value.type.constructors[value.constructor].size]
            return py.subscript(py.display(map(self.slot, some)), py.infix("-", number, start))
        found = py.subscript(py.display(map(self.slot, kept.slots)), py.minus(number, kept.first))
        low, high = bounds(value, self.facts)
        last = kept.first + len(kept.slots) - 1
        if kept.first <= low and high <= last:
            return found
        return py.ternary(found, py.infix("<=", kept.first, number, last), 0)


def extremum(op: str, left: PyExpr, right: PyExpr) -> PyExpr:
    """Min or max; a comparison is faster than a call where both sides are short enough to be worked out twice."""
    if len(py.text(left)) + len(py.text(right)) > SHORT:
        return py.apply("min" if op == "min" else "max", left, right)
    return py.ternary(left, py.infix("<" if op == "min" else ">", left, right), right)


def search(tests: list[PyExpr], first: int, otherwise: int | None = None) -> PyExpr:
    """The number of the first test that holds, counted from `first`; the next number or `otherwise` if none does."""
    last = first + len(tests) if otherwise is None else otherwise
    return py.Ternary(tuple(enumerate(tests, first)), last) if tests else last


def field_of(kind: UnionType, constructor: int, place: int, value: PyExpr) -> PyExpr:
    """A field of a union's value that was made by that constructor."""
    fields = kind.constructors[constructor].fields
    below = prod(type_size(field) for field in fields[place + 1 :])
    found = py.minus(value, kind.offsets[constructor])
    if below > 1:
        found = py.infix("//", found, below)
    if place > 0:
        found = py.infix("%", found, type_size(fields[place]))
    return py.plus(found, type_first(fields[place]))
