"""Ground expressions as nodes, simplified as they are made. Equal ones are the same node."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import Any

from hanabi_formal.kernel.operators import BINARY, Comparison
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.types import BOOL, Type, type_first, type_size, type_values

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


class GroundNode:
    """A ground expression. `reads` are the places of the state it looks at, or None if they depend on the state."""

    __slots__ = ("args", "entry", "extra", "is_truth", "kind", "number", "reads")

    def __init__(self, kind: str, args: tuple[GroundNode, ...], extra: Any, is_truth: bool, number: int) -> None:
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
class MapPlaces:
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


def tables_of(system: System) -> dict[str, MapPlaces]:
    found: dict[str, MapPlaces] = {}
    first = 0
    for variable in system.variables:
        shape = tuple((type_first(kind), type_size(kind)) for kind in variable.index)
        found[variable.name] = MapPlaces(first, shape, variable.type)
        first += found[variable.name].size
    return found


_MONOTONE = {("op", "mul"), ("op", "min"), ("op", "max"), ("op", "div")}


class Nodes:
    """The nodes over the places of one system's state."""

    def __init__(self, system: System) -> None:
        self.tables = tables_of(system)
        self.places = [table for table in self.tables.values() for _ in range(table.size)]
        self.nodes: list[GroundNode] = []
        self._interned: dict[Any, GroundNode] = {}
        self._functions: dict[int, Callable[..., int | None]] = {}
        self.true = self._node("lit", (), 1, True)
        self.false = self._node("lit", (), 0, True)

    def _node(self, kind: str, args: tuple[GroundNode, ...], extra: Any, is_truth: bool) -> GroundNode:
        key = (kind, extra, is_truth, *[arg.number for arg in args])
        found = self._interned.get(key)
        if found is None:
            found = self._interned[key] = GroundNode(kind, args, extra, is_truth, len(self.nodes))
            self.nodes.append(found)
        return found

    def number(self, value: int) -> GroundNode:
        return self._node("lit", (), value, False)

    def constant(self, value: int, is_truth: bool) -> GroundNode:
        if is_truth:
            return self.true if value else self.false
        return self.number(value)

    # ---- truth ---------------------------------------------------------------------------------
    def both(self, parts: Iterable[GroundNode]) -> GroundNode:
        flat: dict[int, GroundNode] = {}
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

    def negated(self, part: GroundNode) -> GroundNode:
        if part.kind == "lit":
            return self.false if part.extra else self.true
        return part.args[0] if part.kind == "not" else self._node("not", (part,), None, True)

    def either(self, parts: Iterable[GroundNode]) -> GroundNode:
        return self.negated(self.both([self.negated(part) for part in parts]))

    def equal(self, left: GroundNode, right: GroundNode) -> GroundNode:
        if left is right:
            return self.true
        if left.kind == "lit":
            left, right = right, left
        if left.kind == "lit":
            return self.true if left.extra == right.extra else self.false
        if left.is_truth and right.kind == "lit":
            return left if right.extra else self.negated(left)
        return self._node("eq", (left, right), None, True)

    def at_least(self, node: GroundNode, low: int) -> GroundNode:
        """Is that number at least this?"""
        least, most = self._bounds(node)
        if least >= low or most < low:
            return self.true if least >= low else self.false
        return self._node("ge", (node,), low, True)

    def _bounds(self, node: GroundNode) -> tuple[int, int]:
        """What a number can be at all, as far as types tell."""
        if node.is_truth:
            return 0, 1
        match node.kind:
            case "lit":
                return node.extra, node.extra
            case "get":
                values = type_values(self.places[node.entry].type)
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
                    ends = [BINARY[node.extra[1]](x, y) for x in (a, b) for y in (c, d)]
                    return min(ends), max(ends)
        return -BOUNDLESS, BOUNDLESS

    def reaches(self, node: GroundNode, low: int) -> GroundNode:
        """Is that number at least this, sums taken apart?"""
        return self.compared(self.number(low), node, "le")

    # ---- numbers -------------------------------------------------------------------------------
    def call(
        self, name: Any, function: Callable[..., int | None], args: tuple[GroundNode, ...], kind: Type
    ) -> GroundNode:
        """A function of values; None where it has none."""
        if all(arg.kind == "lit" for arg in args):
            value = function(*(arg.extra for arg in args))
            if value is not None:
                return self.constant(value, kind == BOOL)
        node = self._node("call", args, name, kind == BOOL)
        self._functions[node.number] = function
        return node

    def function(self, node: GroundNode) -> Callable[..., int | None]:
        return self._functions[node.number]

    def compared(self, left: GroundNode, right: GroundNode, op: Comparison) -> GroundNode:
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

    def _split(self, node: GroundNode) -> tuple[GroundNode, int]:
        """A number and a bound: `node >= 0` is `result >= bound`."""
        if node.kind != "sum" or node.extra[0] == 0:
            return node, 0
        constant, weights = node.extra
        return self.total(tuple(zip(weights, node.args, strict=True))), -constant

    def total(self, terms: Iterable[tuple[int, GroundNode]], constant: int = 0) -> GroundNode:
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
