"""Quantifiers to Python: sets of individuals as masks, small binders written out, a loop where neither will do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from math import prod

from hanabi_formal.kernel.build import instances, interval, negate
from hanabi_formal.kernel.expr import Attr, Cast, Expr, Get, Ite, Lit, Local, Op, Quant, children, locals_in
from hanabi_formal.kernel.types import BOOL, type_size, type_values
from hanabi_formal.run.compiler import code as py
from hanabi_formal.run.compiler.bounds import bounds, is_total
from hanabi_formal.run.compiler.code import PyExpr, PyName
from hanabi_formal.run.compiler.layout import Layout, Packed, Planes, is_big
from hanabi_formal.run.compiler.lookup_tables import Tables, rigid_inputs

MOST = 64
MOST_NESTED = 4096


class QuantifierEmitter(ABC):
    """`reads` collects the slots that what was emitted looks at, `dealt` the dealt tables; `facts` hold there."""

    def __init__(self, layout: Layout, tables: Tables) -> None:
        self.layout = layout
        self.tables = tables
        self.names: dict[str, PyName] = {}
        self.reads: set[PyName] = set()
        self.dealt: set[int] = set()
        self.facts: list[Expr] = []
        self._fresh = 0

    def fresh(self) -> PyName:
        self._fresh += 1
        return PyName("x", self._fresh)

    def bind(self, local: Local) -> PyName:
        """A fresh name for a local, from now on."""
        self.names[local.name] = self.fresh()
        return self.names[local.name]

    def slot(self, name: PyName) -> PyName:
        self.reads.add(name)
        return name

    def table(self, number: int) -> PyName:
        self.dealt.add(number)
        return PyName("D", number)

    @abstractmethod
    def value(self, expr: Expr) -> PyExpr: ...

    @abstractmethod
    def truth(self, expr: Expr) -> PyExpr: ...

    @abstractmethod
    def plane(self, kept: Planes, value: Expr) -> PyExpr: ...

    @abstractmethod
    def shift(self, expr: Get, kept: Packed) -> PyExpr: ...

    # ---- quantifiers ---------------------------------------------------------------------------
    def logical(self, kind: str, binders: tuple[Local, ...], body: Expr) -> PyExpr:
        """Truth of `exists` and `forall`."""
        parts, masks = self._written_out(binders, body, negated=kind == "forall")
        if parts is None:
            return self._loop(kind, binders, body)
        if kind == "exists":
            return py.infix("or", *parts)
        return py.infix("and", *(map(py.negation, parts) if masks else parts))

    def quantified(self, kind: str, binders: tuple[Local, ...], body: Expr) -> PyExpr:
        """The number that a quantifier gives."""
        if kind in ("exists", "forall"):
            return py.one_if(self.logical(kind, binders, body))
        if kind == "count":
            parts, masks = self._written_out(binders, body)
            if parts is not None:
                return py.infix("+", *(py.method(part, "bit_count") if masks else py.one_if(part) for part in parts))
        elif not any(is_big(binder.type) for binder in binders):
            written = few_instances(binders, body, False)
            if written is not None:
                terms = [self.value(instance) for instance in written]
                return py.infix("+", *terms) if kind == "sum" else py.apply(_FUNCTIONS[kind], py.display(terms))
        return self._loop(kind, binders, body)

    def _written_out(
        self, binders: tuple[Local, ...], body: Expr, negated: bool = False
    ) -> tuple[list[PyExpr] | None, bool]:
        """The body's truth for every value of the binders, if that can be said; a binder over many individuals is not
        written out, and then it is the mask of those of whom the body, or its negation, is true."""
        many = [binder for binder in binders if is_big(binder.type)]
        if not many:
            written = few_instances(binders, body, False)
            return None if written is None else [self.truth(instance) for instance in written], False
        written = few_instances(tuple(binder for binder in binders if binder is not many[-1]), body, True)
        if written is None or not is_total(body, self.facts, self.layout.system):
            return None, True
        return self._masks([negate(instance) if negated else instance for instance in written], many[-1]), True

    def _loop(self, kind: str, binders: tuple[Local, ...], body: Expr) -> PyExpr:
        """Where nothing better is known: a generator over all values."""
        loops = tuple([(self.bind(binder), py.values_of(binder.type)) for binder in binders])
        inner = self.truth(body) if kind in ("exists", "forall") else self.value(body)
        return py.apply(_FUNCTIONS[kind], py.Comprehension(inner, loops))

    # ---- sets as masks -------------------------------------------------------------------------
    def mask(self, body: Expr, binder: Local) -> PyExpr | None:
        """The mask of the individuals for which `body` is true, or None if it is no such simple thing."""
        full = (1 << type_size(binder.type)) - 1
        if binder.name not in locals_in(body):
            return py.ternary(full, self.truth(body), 0)
        special = self._atom(body, binder, full)
        if special is not None:
            return special
        match body:
            case Op("and", args):
                return self._intersection(args, binder, full)
            case Op("or", args):
                return self._union(args, binder, full)
            case Op("not", (arg,)):
                inner = self.mask(arg, binder)
                return None if inner is None else py.infix("^", full, inner)
            case Ite(condition, then, otherwise):
                masks = self._masks([then, otherwise], binder)
                if masks is None:
                    return None
                if binder.name not in locals_in(condition):
                    return py.ternary(masks[0], self.truth(condition), masks[1])
                test = self.mask(condition, binder)
                if test is None:
                    return None
                return py.infix("|", py.infix("&", test, masks[0]), py.infix("&", masks[1], py.Prefix("~", test)))
            case Quant("exists" | "forall" as kind, binders, inner_body):
                written = few_instances(binders, inner_body, True)
                masks = None if written is None else self._masks(written, binder)
                return None if masks is None else py.infix("|" if kind == "exists" else "&", *masks)
            case _:
                return None

    def _masks(self, bodies: Iterable[Expr], binder: Local) -> list[PyExpr] | None:
        """A mask for each, or None if one of them has none."""
        found: list[PyExpr] = []
        for body in bodies:
            mask = self.mask(body, binder)
            if mask is None:
                return None
            found.append(mask)
        return found

    def _intersection(self, args: tuple[Expr, ...], binder: Local, full: int) -> PyExpr | None:
        conditions = [arg for arg in args if binder.name not in locals_in(arg)]
        rest = [arg for arg in args if binder.name in locals_in(arg)]
        if len(rest) > 1:
            # Together they may be rigid, and then they are one table instead of several.
            rigid = [arg for arg in rest if rigid_inputs(arg, binder, self.tables.deck) is not None]
            joined = Op("and", tuple(rigid), BOOL)
            if len(rigid) > 1 and rigid_inputs(joined, binder, self.tables.deck) is not None:
                rest = [arg for arg in rest if arg not in rigid] + [joined]
        negative = [arg.args[0] for arg in rest if isinstance(arg, Op) and arg.op == "not"]
        positive = [arg for arg in rest if not (isinstance(arg, Op) and arg.op == "not")]
        masks, without = self._masks(positive, binder), self._masks(negative, binder)
        if masks is None or without is None:
            return None
        found = py.infix("&", *(masks or [full]), *(py.Prefix("~", mask) for mask in without))
        return py.ternary(found, py.infix("and", *map(self.truth, conditions)), 0) if conditions else found

    def _union(self, args: tuple[Expr, ...], binder: Local, full: int) -> PyExpr | None:
        masks = self._masks([arg for arg in args if binder.name in locals_in(arg)], binder)
        if masks is None:
            return None
        conditions = [self.truth(arg) for arg in args if binder.name not in locals_in(arg)]
        union = py.infix("|", *masks)
        return py.ternary(full, py.infix("or", *conditions), union) if conditions else union

    def _atom(self, body: Expr, binder: Local, full: int) -> PyExpr | None:
        match body:
            case Op("eq", (left, right)):
                for one, other in ((left, right), (right, left)):
                    if binder.name in locals_in(other):
                        continue
                    if one == binder:
                        return py.infix("<<", 1, self.value(other))
                    if isinstance(one, Attr) and one.card == binder:
                        return self._attribute_mask(one, other)
                    if isinstance(one, Get) and one.index:
                        found = self._map_mask(one, other, binder, full)
                        if found is not None:
                            return found
            case Op("lt" | "le" as op, (left, right)):
                if left == Cast(binder, left.type) and binder.name not in locals_in(right):
                    below = self._first(right, op == "le", full)
                    if below is not None:
                        return below
                if right == Cast(binder, right.type) and binder.name not in locals_in(left):
                    below = self._first(left, op == "lt", full)
                    if below is not None:
                        return py.infix("^", full, below)
            case Get(index=(only,)) if only == binder and body.type == BOOL:
                kept = self.layout.kept[body.var]
                if isinstance(kept, Planes):
                    return self.slot(kept.slots[1])
        return self._rigid(body, binder)

    def _first(self, number: Expr, one_more: bool, full: int) -> PyExpr | None:
        """The mask of the first so many individuals, if there are so many."""
        low, high = bounds(number, self.facts)
        if low + one_more < 0 or high + one_more > full.bit_length():
            return None
        many = self.value(number)
        return py.infix("-", py.infix("<<", 1, py.infix("+", many, 1) if one_more else many), 1)

    def _attribute_mask(self, one: Attr, other: Expr) -> PyExpr:
        """The individuals whose attribute has a value; nobody has one that is outside the attribute's type."""
        table = self.table(self.tables.attribute_masks(one.name))
        values = type_values(one.type)
        low, high = interval(other)
        value = self.value(other)
        if values.start <= low and high < values.stop:
            return py.subscript(table, py.minus(value, values.start))
        name = self.fresh()
        test = py.infix("<=", values.start, py.Walrus(name, value), values[-1])
        return py.ternary(py.subscript(table, py.minus(name, values.start)), test, 0)

    def _map_mask(self, one: Get, other: Expr, binder: Local, full: int) -> PyExpr | None:
        kept = self.layout.kept[one.var]
        if isinstance(kept, Planes) and one.index == (binder,):
            return self.plane(kept, other)
        if isinstance(kept, Packed) and one.index[kept.big] == binder and isinstance(other, Lit):
            if other.value == kept.first or sum(binder.name in locals_in(arg) for arg in one.index) > 1:
                return None
            slot = self.slot(kept.slots[other.value - kept.first])
            return py.infix("&", py.infix(">>", slot, self.shift(one, kept)), full)
        return None

    def _rigid(self, body: Expr, binder: Local) -> PyExpr | None:
        inputs = rigid_inputs(body, binder, self.tables.deck)
        if inputs is None:
            return None
        table = self.table(self.tables.relation_masks(body, binder, inputs))
        return py.subscript(table, py.numbered((self.names[local.name], local.type) for local in inputs))


_FUNCTIONS: dict[str, py.Word] = {
    "exists": "any",
    "forall": "all",
    "count": "sum",
    "sum": "sum",
    "min": "min",
    "max": "max",
}


def few_instances(binders: tuple[Local, ...], body: Expr, in_mask: bool) -> list[Expr] | None:
    """The body for every value of the binders, unless there are too many."""
    many = prod(type_size(binder.type) for binder in binders)
    too_many = many > MOST or many * copies(body, in_mask) > MOST_NESTED
    return None if too_many else list(instances(body, binders))


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
