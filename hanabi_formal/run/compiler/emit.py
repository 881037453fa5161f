"""Expressions to Python source. Names in the source are all made here; none comes from a rule file."""

from __future__ import annotations

from collections.abc import Callable

from hanabi_formal.kernel.build import interval, negate
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
    locals_in,
)
from hanabi_formal.kernel.types import BOOL, Type, UnionType, type_first, type_size, type_values
from hanabi_formal.run.compiler.bounds import bounds, certain_side, fits, is_total
from hanabi_formal.run.compiler.layout import Layout, Listed, Packed, Planes, Scalar, is_big, strides
from hanabi_formal.run.compiler.lookup_tables import Tables, rigid_inputs
from hanabi_formal.run.compiler.pieces import extremum, field_of, injected, search
from hanabi_formal.run.compiler.quantifiers import instances

_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "//", "mod": "%", "eq": "==", "lt": "<", "le": "<="}


class Emitter:
    """`reads` collects the slots that what was emitted looks at, `dealt` the dealt tables; `facts` hold there."""

    def __init__(self, layout: Layout, tables: Tables) -> None:
        self.layout = layout
        self.tables = tables
        self.names: dict[str, str] = {}
        self.reads: set[str] = set()
        self.dealt: set[str] = set()
        self.facts: list[Expr] = []
        self._fresh = 0

    def fresh(self) -> str:
        self._fresh += 1
        return f"x{self._fresh}"

    def slot(self, name: str) -> str:
        self.reads.add(name)
        return name

    def _table(self, name: str) -> str:
        self.dealt.add(name)
        return name

    # ---- values --------------------------------------------------------------------------------
    def value(self, expr: Expr) -> str:
        """Source of an expression that gives exactly the number."""
        match expr:
            case Lit(value):
                return str(value)
            case Local(name):
                return self.names[name]
            case Get():
                return self._get(expr)
            case Attr(name, card):
                return f"{self.tables.attribute_of_face(name)}[{self._table('D0')}[{self.value(card)}]]"
            case Op("min" | "max" as op, (left, right)):
                certain = certain_side(op, left, right, self.facts)
                return self.value(certain) if certain else extremum(op, self.value(left), self.value(right))
            case Op(op, args) if op in _SIGNS and expr.type != BOOL:
                return f"({self.value(args[0])} {_SIGNS[op]} {self.value(args[1])})"
            case Ite():
                return self._choice(expr, self.value)
            case Quant(kind, binders, body):
                return self._quantified(kind, binders, body)
            case Inject(constructor, args, kind):
                fields = kind.constructors[constructor].fields
                return injected(kind, constructor, [self.within(a, f) for a, f in zip(args, fields, strict=True)])
            case Field(constructor, place, arg):
                assert isinstance(arg.type, UnionType)
                return field_of(arg.type, constructor, place, self.value(arg))
            case Cast(arg, kind):
                return self.within(arg, kind)
            case _:
                return f"(1 if {self.truth(expr)} else 0)"

    def within(self, expr: Expr, kind: Type) -> str:
        """The value where one of that type is needed, with a test unless it is certain."""
        if fits(expr, kind, self.facts):
            return self.value(expr)
        allowed = type_values(kind)
        return f"within({self.value(expr)}, {allowed.start}, {allowed[-1]})"

    def _choice(self, expr: Ite, emit: Callable[[Expr], str]) -> str:
        """A conditional expression. A chain of them is written without inner parentheses: Python limits their depth."""
        text = ""
        rest: Expr = expr
        while isinstance(rest, Ite):
            text += f"{emit(rest.then)} if {self.truth(rest.condition)} else "
            rest = rest.otherwise
        return f"({text}{emit(rest)})"

    def _get(self, expr: Get) -> str:
        kept = self.layout.kept[expr.var]
        match kept:
            case Scalar(slot):
                return self.slot(slot)
            case Listed(slot):
                return f"{self.slot(slot)}[{self.offset(expr, None)}]"
            case Planes():
                at = self.value(expr.index[0])
                return search([f"{self.slot(s)} >> {at} & 1" for s in kept.slots], kept.first)
            case Packed():
                at = self.bit(expr, kept)
                tests = ["0", *(f"{self.slot(s)} >> {at} & 1" for s in kept.slots[1:])]
                return search([*tests[1:], "1"], kept.first + 1, last=kept.first)

    def offset(self, expr: Get, skip: int | None) -> str:
        """Position along all indices but the skipped one."""
        kinds = self.layout.system.variable(expr.var).index
        terms = []
        for arg, kind, step in zip(expr.index, kinds, strides(kinds, skip), strict=True):
            if step:
                start = type_first(kind)
                term = self.within(arg, kind) + (f" - {start}" if start else "")
                terms.append(f"({term}) * {step}" if step > 1 else f"({term})")
        return " + ".join(terms) or "0"

    def bit(self, expr: Get, kept: Packed) -> str:
        return f"(({self.offset(expr, kept.big)}) * {kept.size} + {self.value(expr.index[kept.big])})"

    # ---- truth ---------------------------------------------------------------------------------
    def truth(self, expr: Expr) -> str:
        """Source of a condition: any number but 0 counts as true."""
        match expr:
            case Lit(value):
                return "True" if value else "False"
            case Op("and", args):
                return "(" + " and ".join(map(self.truth, args)) + ")"
            case Op("or", args):
                return "(" + " or ".join(map(self.truth, args)) + ")"
            case Op("not", (Op("eq", (left, right)),)) if not self._plane_test(left, right):
                return f"({self.value(left)} != {self.value(right)})"
            case Op("not", (arg,)):
                return f"(not {self.truth(arg)})"
            case Op("eq", (left, right)):
                return self._plane_test(left, right) or f"({self.value(left)} == {self.value(right)})"
            case Op("lt" | "le", (left, right)):
                return f"({self.value(left)} {_SIGNS[expr.op]} {self.value(right)})"
            case Is(constructor, arg):
                kind = arg.type
                assert isinstance(kind, UnionType)
                low = kind.offsets[constructor]
                high = low + kind.constructors[constructor].size
                return f"({low} <= {self.value(arg)} < {high})"
            case Ended(end, _):
                return f"({self.slot('end')} > 0)" if end < 0 else f"({self.slot('end')} == {end + 1})"
            case Quant(kind, binders, body) if kind in ("exists", "forall"):
                return self._logical(kind, binders, body)
            case Ite():
                return self._choice(expr, self.truth)
            case _:
                return self.value(expr)

    def _plane_test(self, left: Expr, right: Expr) -> str | None:
        """`map[i] == v` where the map is kept as masks: one bit of one mask."""
        if not (isinstance(left, Get) and left.index):
            left, right = right, left
        if not (isinstance(left, Get) and left.index):
            return None
        kept = self.layout.kept[left.var]
        if isinstance(kept, Planes):
            return f"({self.plane(kept, right)} >> {self.value(left.index[0])} & 1)"
        if isinstance(kept, Packed) and isinstance(right, Lit) and right.value != kept.first:
            return f"({self.slot(kept.slots[right.value - kept.first])} >> {self.bit(left, kept)} & 1)"
        return None

    def plane(self, kept: Planes, value: Expr) -> str:
        """The mask of the individuals with that value; nobody has one that is outside the map's type."""
        if isinstance(value, Lit):
            return self.slot(kept.slots[value.value - kept.first])
        if isinstance(value, Inject):
            start = value.type.offsets[value.constructor]
            some = kept.slots[start : start + value.type.constructors[value.constructor].size]
            at = self.value(Inject(value.constructor, value.args, value.type))
            return f"({', '.join(map(self.slot, some))},)[{at} - {start}]"
        number = self.value(value)
        at = number + (f" - {kept.first}" if kept.first else "")
        text = f"({', '.join(map(self.slot, kept.slots))},)[{at}]"
        low, high = bounds(value, self.facts)
        last = kept.first + len(kept.slots) - 1
        if kept.first <= low and high <= last:
            return text
        return f"({text} if {kept.first} <= {number} <= {last} else 0)"

    # ---- quantifiers ---------------------------------------------------------------------------
    def _split(self, binders: tuple[Local, ...]) -> tuple[tuple[Local, ...], Local | None]:
        """Binders to write out, and one to treat as a set."""
        big = [binder for binder in binders if is_big(binder.type)]
        chosen = big[-1] if big else None
        return tuple(binder for binder in binders if binder is not chosen), chosen

    def _logical(self, kind: str, binders: tuple[Local, ...], body: Expr) -> str:
        small, big = self._split(binders)
        written = instances(small, body, big is not None)
        if written is None or (big is not None and not self.is_total(body)):
            return self._loop(kind, binders, body)
        parts = []
        for instance in written:
            if big is None:
                parts.append(self.truth(instance))
                continue
            found = self.mask(negate(instance) if kind == "forall" else instance, big)
            if found is None:
                return self._loop(kind, binders, body)
            parts.append(f"(not {found})" if kind == "forall" else found)
        return "(" + (" and " if kind == "forall" else " or ").join(parts) + ")"

    def _quantified(self, kind: str, binders: tuple[Local, ...], body: Expr) -> str:
        if kind in ("exists", "forall"):
            return f"(1 if {self._logical(kind, binders, body)} else 0)"
        small, big = self._split(binders)
        written = instances(small, body, big is not None)
        if written is None:
            return self._loop(kind, binders, body)
        if kind in ("min", "max", "sum") and big is None:
            parts = [self.value(instance) for instance in written]
            return f"({' + '.join(parts)})" if kind == "sum" else f"{kind}(({', '.join(parts)},))"
        if kind != "count" or (big is not None and not self.is_total(body)):
            return self._loop(kind, binders, body)
        parts = []
        for instance in written:
            if big is None:
                parts.append(f"(1 if {self.truth(instance)} else 0)")
                continue
            found = self.mask(instance, big)
            if found is None:
                return self._loop(kind, binders, body)
            parts.append(f"{found}.bit_count()")
        return "(" + " + ".join(parts) + ")"

    def _loop(self, kind: str, binders: tuple[Local, ...], body: Expr) -> str:
        """Where nothing better is known: a generator over all values."""
        clauses = []
        for binder in binders:
            name = self.fresh()
            self.names[binder.name] = name
            values = type_values(binder.type)
            clauses.append(f"for {name} in range({values.start}, {values.stop})")
        logical = kind in ("exists", "forall")
        inner = self.truth(body) if logical else self.value(body)
        function = {"exists": "any", "forall": "all", "count": "sum"}.get(kind, kind)
        return f"{function}({inner} {' '.join(clauses)})"

    # ---- sets as masks -------------------------------------------------------------------------
    def is_total(self, body: Expr) -> bool:
        """May it be worked out for all individuals at once? One that is not reached in order must not be a fault."""
        return is_total(body, self.facts, self.layout.system)

    def mask(self, body: Expr, binder: Local) -> str | None:
        """Source of the mask of the individuals for which `body` is true, or None if it is no such simple thing."""
        size = type_size(binder.type)
        full = (1 << size) - 1
        if binder.name not in locals_in(body):
            return f"({full} if {self.truth(body)} else 0)"
        special = self._atom(body, binder, size, full)
        if special is not None:
            return special
        match body:
            case Op("and", args):
                return self._intersection(args, binder, full)
            case Op("or", args):
                return self._union(args, binder, full)
            case Op("not", (arg,)):
                inner = self.mask(arg, binder)
                return inner and f"({full} ^ {inner})"
            case Ite(condition, then, otherwise):
                first, second = self.mask(then, binder), self.mask(otherwise, binder)
                if first is None or second is None:
                    return None
                if binder.name not in locals_in(condition):
                    return f"({first} if {self.truth(condition)} else {second})"
                test = self.mask(condition, binder)
                return test and f"({test} & {first} | {second} & ~{test})"
            case Quant(kind, binders, inner_body) if kind in ("exists", "forall"):
                written = instances(binders, inner_body, True)
                if written is None:
                    return None
                parts = [self.mask(instance, binder) for instance in written]
                sign = " | " if kind == "exists" else " & "
                return None if None in parts else f"({sign.join(p for p in parts if p)})"
            case _:
                return None

    def _intersection(self, args: tuple[Expr, ...], binder: Local, full: int) -> str | None:
        conditions = [arg for arg in args if binder.name not in locals_in(arg)]
        rest = [arg for arg in args if binder.name in locals_in(arg)]
        if len(rest) > 1:
            # Together they may be rigid, and then they are one table instead of several.
            rigid = [arg for arg in rest if rigid_inputs(arg, binder, self.tables.deck) is not None]
            if len(rigid) > 1:
                joined = Op("and", tuple(rigid), BOOL)
                if rigid_inputs(joined, binder, self.tables.deck) is not None:
                    rest = [arg for arg in rest if arg not in rigid] + [joined]
        text = ""
        for arg in sorted(rest, key=lambda arg: isinstance(arg, Op) and arg.op == "not"):
            negative = isinstance(arg, Op) and arg.op == "not"
            inner = self.mask(arg.args[0] if negative and isinstance(arg, Op) else arg, binder)
            if inner is None:
                return None
            if not text:
                text = f"{full} & ~{inner}" if negative else inner
            else:
                text += f" & ~{inner}" if negative else f" & {inner}"
        if conditions:
            test = " and ".join(self.truth(condition) for condition in conditions)
            return f"({text} if {test} else 0)"
        return f"({text})"

    def _union(self, args: tuple[Expr, ...], binder: Local, full: int) -> str | None:
        parts = [self.mask(arg, binder) for arg in args if binder.name in locals_in(arg)]
        if None in parts:
            return None
        text = " | ".join(part for part in parts if part)
        conditions = [self.truth(arg) for arg in args if binder.name not in locals_in(arg)]
        return f"({full} if {' or '.join(conditions)} else {text})" if conditions else f"({text})"

    def _atom(self, body: Expr, binder: Local, size: int, full: int) -> str | None:
        match body:
            case Op("eq", (left, right)):
                for one, other in ((left, right), (right, left)):
                    if binder.name in locals_in(other):
                        continue
                    if one == binder:
                        return f"(1 << {self.value(other)})"
                    if isinstance(one, Attr) and one.card == binder:
                        return self._attribute_mask(one, other)
                    if isinstance(one, Get) and one.index:
                        found = self._map_mask(one, other, binder, full)
                        if found is not None:
                            return found
            case Op("lt" | "le", (left, right)):
                if left == Cast(binder, left.type) and binder.name not in locals_in(right):
                    low, high = bounds(right, self.facts)
                    extra = 1 if body.op == "le" else 0
                    if low + extra >= 0 and high + extra <= size:
                        return f"((1 << {self.value(right)}{' + 1' if extra else ''}) - 1)"
                if right == Cast(binder, right.type) and binder.name not in locals_in(left):
                    low, high = bounds(left, self.facts)
                    extra = 1 if body.op == "lt" else 0
                    if low + extra >= 0 and high + extra <= size:
                        return f"({full} ^ ((1 << {self.value(left)}{' + 1' if extra else ''}) - 1))"
            case Get(index=(only,)) if only == binder and body.type == BOOL:
                kept = self.layout.kept[body.var]
                if isinstance(kept, Planes):
                    return self.slot(kept.slots[1])
        return self._rigid(body, binder)

    def _attribute_mask(self, one: Attr, other: Expr) -> str:
        """The individuals whose attribute has a value; nobody has one that is outside the attribute's type."""
        table = self._table(self.tables.attribute_masks(one.name))
        values = type_values(one.type)
        low, high = interval(other)
        text = self.value(other)
        if values.start <= low and high < values.stop:
            return f"{table}[{text}{f' - {values.start}' if values.start else ''}]"
        name = self.fresh()
        at = f"{name} - {values.start}" if values.start else name
        return f"({table}[{at}] if {values.start} <= ({name} := {text}) <= {values[-1]} else 0)"

    def _map_mask(self, one: Get, other: Expr, binder: Local, full: int) -> str | None:
        kept = self.layout.kept[one.var]
        if isinstance(kept, Planes) and one.index == (binder,):
            return self.plane(kept, other)
        if isinstance(kept, Packed) and one.index[kept.big] == binder and isinstance(other, Lit):
            if other.value == kept.first or sum(binder.name in locals_in(arg) for arg in one.index) > 1:
                return None
            slot = self.slot(kept.slots[other.value - kept.first])
            return f"({slot} >> ({self.offset(one, kept.big)}) * {kept.size} & {full})"
        return None

    def _rigid(self, body: Expr, binder: Local) -> str | None:
        inputs = rigid_inputs(body, binder, self.tables.deck)
        if inputs is None:
            return None
        table = self._table(self.tables.relation_masks(body, binder, inputs))
        at = ""
        for local in inputs:
            start = type_first(local.type)
            term = f"({self.names[local.name]} - {start})" if start else self.names[local.name]
            at = f"({at} * {type_size(local.type)} + {term})" if at else term
        return f"{table}[{at or 0}]"
