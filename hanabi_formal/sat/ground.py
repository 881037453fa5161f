"""Expressions with all names gone: parameters, bound names and the deal put in, quantifiers written out.

Equal expressions become the same node, so that each is looked at once in each state.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

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
)  # fmt: skip
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.types import BOOL, Type, UnionType, type_first, type_size, type_values

Environment = Mapping[str, int]
BOUNDLESS = 1 << 60
DEEPEST = 20_000


@contextmanager
def deep() -> Iterator[None]:
    """Expressions may be nested more deeply than Python expects."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


class Node:
    """A ground expression. `reads` are the places of the state it looks at, or None if they depend on the state."""

    __slots__ = ("args", "entry", "extra", "is_truth", "kind", "number", "reads")

    def __init__(self, kind: str, args: tuple[Node, ...], extra: Any, is_truth: bool, number: int) -> None:
        self.kind = kind
        self.args = args
        self.extra = extra
        self.is_truth = is_truth
        self.number = number
        self.entry: int = extra if kind == "get" else -1
        self.reads: frozenset[int] | None = frozenset((extra,)) if kind == "get" else frozenset()
        for arg in args:
            self.reads = None if self.reads is None or arg.reads is None else self.reads | arg.reads
        if kind == "look":
            self.reads = None


@dataclass(frozen=True)
class Table:
    """Where a map begins among the places of the state, and its shape."""

    first: int
    shape: tuple[tuple[int, int], ...]
    type: Type

    @property
    def size(self) -> int:
        return prod(size for _, size in self.shape)

    def place(self, index: Iterable[int | None]) -> int | None:
        """The place of the value at an index, if there is one."""
        at = 0
        for (first, size), value in zip(self.shape, index, strict=True):
            if value is None or not 0 <= value - first < size:
                return None
            at = at * size + value - first
        return self.first + at


def tables_of(system: System) -> dict[str, Table]:
    found: dict[str, Table] = {}
    first = 0
    for variable in system.variables:
        shape = tuple((type_first(kind), type_size(kind)) for kind in variable.index)
        found[variable.name] = Table(first, shape, variable.type)
        first += found[variable.name].size
    return found


_COMPUTE: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a // b,
    "mod": lambda a, b: a % b, "min": min, "max": max, "eq": lambda a, b: int(a == b), "lt": lambda a, b: int(a < b),
    "le": lambda a, b: int(a <= b),
}  # fmt: skip


_MONOTONE = {("op", "mul"), ("op", "min"), ("op", "max"), ("op", "div")}


class Grounder:
    """Makes nodes for one system and one deal."""

    def __init__(self, system: System, faces: tuple[int, ...]) -> None:
        self.system = system
        self.tables = tables_of(system)
        self._values = [type_values(table.type) for table in self.tables.values() for _ in range(table.size)]
        self.nodes: list[Node] = []
        self._interned: dict[Any, Node] = {}
        self._known: dict[Any, Node] = {}
        self._functions: dict[int, Callable[..., int | None]] = {}
        self._attributes: dict[str, tuple[int, ...]] = {}
        if system.deck is not None:
            for place, (name, _) in enumerate(system.deck.attributes):
                self._attributes[name] = tuple(system.deck.faces[face][place] for face in faces)
        self.true = self._node("lit", (), 1, True)
        self.false = self._node("lit", (), 0, True)

    def _node(self, kind: str, args: tuple[Node, ...], extra: Any, is_truth: bool) -> Node:
        key = (kind, extra, is_truth, *[arg.number for arg in args])
        found = self._interned.get(key)
        if found is None:
            found = self._interned[key] = Node(kind, args, extra, is_truth, len(self.nodes))
            self.nodes.append(found)
        return found

    def number(self, value: int) -> Node:
        return self._node("lit", (), value, False)

    def constant(self, value: int, is_truth: bool) -> Node:
        if is_truth:
            return self.true if value else self.false
        return self.number(value)

    # ---- truth ---------------------------------------------------------------------------------
    def both(self, parts: Iterable[Node]) -> Node:
        flat: dict[int, Node] = {}
        for part in parts:
            if part is self.false:
                return self.false
            for inner in part.args if part.kind == "and" else (part,):
                if inner is not self.true:
                    flat[inner.number] = inner
        if not flat:
            return self.true
        nodes = tuple(flat[number] for number in sorted(flat))
        return nodes[0] if len(nodes) == 1 else self._node("and", nodes, None, True)

    def negated(self, part: Node) -> Node:
        if part.kind == "lit":
            return self.false if part.extra else self.true
        return part.args[0] if part.kind == "not" else self._node("not", (part,), None, True)

    def either(self, parts: Iterable[Node]) -> Node:
        return self.negated(self.both([self.negated(part) for part in parts]))

    def equal(self, left: Node, right: Node) -> Node:
        if left is right:
            return self.true
        if left.kind == "lit":
            left, right = right, left
        if left.kind == "lit":
            return self.true if left.extra == right.extra else self.false
        if left.is_truth and right.kind == "lit":
            return left if right.extra else self.negated(left)
        return self._node("eq", (left, right), None, True)

    def at_least(self, node: Node, low: int) -> Node:
        """Is that number at least this?"""
        least, most = self._bounds(node)
        if least >= low or most < low:
            return self.true if least >= low else self.false
        return self._node("ge", (node,), low, True)

    def _bounds(self, node: Node) -> tuple[int, int]:
        """What a number can be at all, as far as types tell."""
        if node.is_truth:
            return 0, 1
        match node.kind:
            case "lit":
                return node.extra, node.extra
            case "get":
                values = self._values[node.entry]
                return values[0], values[-1]
            case "count":
                return 0, len(node.args)
            case "if":
                (a, b), (c, d) = self._bounds(node.args[1]), self._bounds(node.args[2])
                return min(a, c), max(b, d)
            case "sum":
                constant, weights = node.extra
                low = high = constant
                for weight, arg in zip(weights, node.args, strict=True):
                    a, b = self._bounds(arg)
                    low, high = low + min(weight * a, weight * b), high + max(weight * a, weight * b)
                return low, high
            case "call" if node.extra in _MONOTONE:
                (a, b), (c, d) = self._bounds(node.args[0]), self._bounds(node.args[1])
                if node.extra != ("op", "div") or c > 0:
                    ends = [_COMPUTE[node.extra[1]](x, y) for x in (a, b) for y in (c, d)]
                    return min(ends), max(ends)
        return -BOUNDLESS, BOUNDLESS

    def reaches(self, node: Node, low: int) -> Node:
        """Is that number at least this, sums taken apart?"""
        return self._compared(self.number(low), node, "le")

    # ---- expressions ---------------------------------------------------------------------------
    def ground(self, expr: Expr, env: Environment) -> Node:
        match expr:
            case Lit(value):
                return self.constant(value, expr.type == BOOL)
            case Local(name):
                return self.constant(env[name], expr.type == BOOL)
            case Ended():
                return self.false
        key = (id(expr), *[env[name] for name in sorted(locals_in(expr))])
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._ground(expr, env)
        return found

    def _ground(self, expr: Expr, env: Environment) -> Node:
        match expr:
            case Get(var, index):
                return self._get(var, tuple(self.ground(part, env) for part in index))
            case Attr(name, card):
                values = self._attributes[name]
                return self._function(("attr", name), lambda c: values[c], (self.ground(card, env),), expr.type)
            case Op(op, args):
                return self._operate(op, args, expr.type, env)
            case Ite(condition, then, otherwise):
                test = self.ground(condition, env)
                if test.kind == "lit":
                    return self.ground(then if test.extra else otherwise, env)
                a, b = self.ground(then, env), self.ground(otherwise, env)
                return a if a is b else self._node("if", (test, a, b), None, a.is_truth)
            case Quant(kind, binders, body):
                return self._quantified(kind, binders, body, env)
            case Inject(constructor, args, union):
                inside = [type_values(kind) for kind in union.constructors[constructor].fields]

                def made(*fields: int) -> int | None:
                    fits = all(value in values for value, values in zip(fields, inside, strict=True))
                    return union.encode(constructor, fields) if fits else None

                parts = tuple(self.ground(arg, env) for arg in args)
                return self._function(("made", union.name, constructor), made, parts, union)
            case Is(constructor, arg):
                tested = arg.type
                assert isinstance(tested, UnionType)
                return self._function(
                    ("is", tested.name, constructor), lambda v: int(tested.decode(v)[0] == constructor),
                    (self.ground(arg, env),), BOOL,
                )  # fmt: skip
            case Field(constructor, place, arg, field_type):
                whole = arg.type
                assert isinstance(whole, UnionType)

                def part(value: int) -> int:
                    which, fields = whole.decode(value)
                    return fields[place] if which == constructor else type_first(field_type)

                name_of = ("field", whole.name, constructor, place)
                return self._function(name_of, part, (self.ground(arg, env),), field_type)
            case Cast(arg, kind):
                values_of = type_values(kind)
                return self._function(
                    ("cast", values_of.start, values_of.stop), lambda v: v if v in values_of else None,
                    (self.ground(arg, env),), kind,
                )  # fmt: skip
        raise AssertionError(expr)

    def _get(self, var: str, index: tuple[Node, ...]) -> Node:
        table = self.tables[var]
        is_truth = table.type == BOOL
        if all(part.kind == "lit" for part in index):
            place = table.place(part.extra for part in index)
            if place is not None:
                return self._node("get", (), place, is_truth)
        return self._node("look", index, var, is_truth)

    def _function(self, name: Any, function: Callable[..., int | None], args: tuple[Node, ...], kind: Type) -> Node:
        """A function of values; None where it has none."""
        if all(arg.kind == "lit" for arg in args):
            value = function(*(arg.extra for arg in args))
            if value is not None:
                return self.constant(value, kind == BOOL)
        node = self._node("call", args, name, kind == BOOL)
        self._functions[node.number] = function
        return node

    def function(self, node: Node) -> Callable[..., int | None]:
        return self._functions[node.number]

    def _operate(self, op: str, args: tuple[Expr, ...], kind: Type, env: Environment) -> Node:
        match op:
            case "and" | "or":
                stop = self.false if op == "and" else self.true
                parts: list[Node] = []
                for arg in args:
                    parts.append(self.ground(arg, env))
                    if parts[-1] is stop:
                        return stop
                return self.both(parts) if op == "and" else self.either(parts)
            case "not":
                return self.negated(self.ground(args[0], env))
        left, right = self.ground(args[0], env), self.ground(args[1], env)
        match op:
            case "eq":
                return self._compared(left, right, "eq")
            case "lt" | "le":
                return self._compared(left, right, op)
            case "add":
                return self.total(((1, left), (1, right)))
            case "sub":
                return self.total(((1, left), (-1, right)))
            case "mul" if left.kind == "lit" or right.kind == "lit":
                by, node = (left, right) if left.kind == "lit" else (right, left)
                return self.total(((by.extra, node),))
        return self._function(("op", op), _COMPUTE[op], (left, right), kind)

    def _compared(self, left: Node, right: Node, op: str) -> Node:
        """Sums are compared with a number; everything else with its like."""
        if op == "eq":
            if left.kind != "sum" and right.kind != "sum":
                return self.equal(left, right)
            node, low = self._split(self.total(((1, left), (-1, right))))
            if node.kind == "sum" and node.extra == (0, (-1,)) and not node.args[0].is_truth:
                node, low = node.args[0], -low
            if node.kind != "sum":
                return self.equal(node, self.number(low))
            return self.both((self.at_least(node, low), self.negated(self.at_least(node, low + 1))))
        node, low = self._split(self.total(((1, right), (-1, left))))
        return self.at_least(node, low + (1 if op == "lt" else 0))

    def _split(self, node: Node) -> tuple[Node, int]:
        """A number and a bound: `node >= 0` is `result >= bound`."""
        if node.kind != "sum" or node.extra[0] == 0:
            return node, 0
        constant, weights = node.extra
        return self.total(tuple(zip(weights, node.args, strict=True))), -constant

    def total(self, terms: Iterable[tuple[int, Node]], constant: int = 0) -> Node:
        """A sum with weights; sums in it are taken apart."""
        weights: dict[int, int] = {}
        for weight, node in terms:
            if node.kind == "lit":
                constant += weight * node.extra
            elif node.kind == "sum":
                inner, by = node.extra
                constant += weight * inner
                for factor, arg in zip(by, node.args, strict=True):
                    weights[arg.number] = weights.get(arg.number, 0) + weight * factor
            else:
                weights[node.number] = weights.get(node.number, 0) + weight
        left = sorted((number, weight) for number, weight in weights.items() if weight)
        if not left:
            return self.number(constant)
        nodes = tuple(self.nodes[number] for number, _ in left)
        if constant == 0 and left[0][1] == 1 and len(left) == 1 and not nodes[0].is_truth:
            return nodes[0]
        return self._node("sum", nodes, (constant, tuple(weight for _, weight in left)), False)

    def _quantified(self, kind: str, binders: tuple[Local, ...], body: Expr, env: Environment) -> Node:
        inner = dict(env)
        parts: list[Node] = []
        stop = {"exists": self.true, "forall": self.false}.get(kind)
        for values in product(*(type_values(binder.type) for binder in binders)):
            for binder, value in zip(binders, values, strict=True):
                inner[binder.name] = value
            parts.append(self.ground(body, inner))
            if parts[-1] is stop:
                return stop
        match kind:
            case "exists":
                return self.either(parts)
            case "forall":
                return self.both(parts)
            case "count":
                sure = parts.count(self.true)
                open_ones = tuple(sorted((p for p in parts if p.kind != "lit"), key=lambda p: p.number))
                if not open_ones:
                    return self.number(sure)
                return self.total([(1, self._node("count", open_ones, None, False))], sure)
            case "sum":
                return self.total((1, part) for part in parts)
        result = parts[0]
        for part in parts[1:]:
            result = self._function(("op", kind), _COMPUTE[kind], (result, part), body.type)
        return result

