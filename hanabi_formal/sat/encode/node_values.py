"""Nodes with values: literals for truths, and for everything else a number or a literal for each it may be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

from hanabi_formal.kernel.types import BOOL
from hanabi_formal.sat.encode.gates import FALSE, TRUE, Gates, Value, packed
from hanabi_formal.sat.encode.grounding import Grounder
from hanabi_formal.sat.encode.nodes import GroundNode

PlaceReader = Callable[[int], Value]
"""The value at a place of the state; of a truth its literal."""


def options(value: Value, is_truth: bool) -> list[tuple[int | None, int]]:
    """All that a value may be, each with its literal."""
    if is_truth:
        assert isinstance(value, int)
        if value in (TRUE, FALSE):
            return [(int(value == TRUE), TRUE)]
        return [(0, -value), (1, value)]
    if isinstance(value, int):
        return [(value, TRUE)]
    return list(value.items())


def literal_of(value: Value, key: int) -> int:
    """The literal for one of the values that something may have."""
    if isinstance(value, int):
        return TRUE if value == key else FALSE
    return value.get(key, FALSE)


class Evaluator:
    """Nodes in one state. Counts that are kept with the state are not counted again."""

    def __init__(
        self, grounder: Grounder, gates: Gates, read: PlaceReader, counts: Mapping[int, Value] | None = None
    ) -> None:
        self.grounder = grounder
        self.gates = gates
        self.read = read
        self.counts = counts if counts is not None else {}
        self._known: dict[int, Value] = {}
        self._parts: dict[int, tuple[Value, Value]] = {}

    def truth(self, node: GroundNode) -> int:
        found = self._known.get(node.number)
        if found is None:
            found = self._known[node.number] = self._evaluate(node)
        assert isinstance(found, int)
        return found

    def value(self, node: GroundNode) -> Value:
        found = self._known.get(node.number)
        if found is None:
            found = self._known[node.number] = self._evaluate(node)
        return found

    def kept(self, value: Value, part: Value) -> Value:
        """A part of a value, the same each time it is asked for."""
        return self._parts.setdefault(id(value), (value, part))[1]

    def conjuncts(self, node: GroundNode) -> list[int]:
        """Literals that are true together exactly if the node is; a false one stands alone."""
        if node.kind != "and":
            return [self.truth(node)]
        found: list[int] = []
        for part in node.args:
            literal = self.truth(part)
            if literal == FALSE:
                return [FALSE]
            if literal != TRUE:
                found.append(literal)
        return found

    def _evaluate(self, node: GroundNode) -> Value:
        args = node.args
        match node.kind:
            case "lit":
                return (TRUE if node.extra else FALSE) if node.is_truth else int(node.extra)
            case "get":
                return self.read(node.entry)
            case "and":
                found = self.conjuncts(node)
                return self.gates.both(found)
            case "not":
                return -self.truth(args[0])
            case "eq":
                return self._equal(args[0], args[1])
            case "ge":
                return self._at_least(args[0], node.extra)
            case "if":
                return self._chosen(node)
            case "count":
                known = self.counts.get(node.number)
                return known if known is not None else self.gates.count([self.truth(arg) for arg in args])
            case "call":
                return self._call(self.grounder.function(node), args, node.is_truth)
            case "look":
                return self._look(node)
            case "sum":
                return self._sum(node)
        raise AssertionError(node.kind)

    def _sum(self, node: GroundNode) -> Value:
        """One term after the other, lest the ways to choose them all multiply."""
        constant, weights = node.extra
        sums: dict[int | None, int] = {constant: TRUE}
        for weight, arg in zip(weights, node.args, strict=True):
            found: dict[int | None, list[int]] = {}
            for key, literal in options(self.value(arg), arg.is_truth):
                for total, so_far in sums.items():
                    more = None if key is None or total is None else total + weight * key
                    found.setdefault(more, []).append(self.gates.both((literal, so_far)))
            sums = {key: self.gates.either(parts) for key, parts in found.items()}
        return packed(sums)

    def _equal(self, left: GroundNode, right: GroundNode) -> int:
        a = self.value(left)
        if right.kind == "lit":
            return literal_of(a, right.extra)
        b = self.value(right)
        both, either = self.gates.both, self.gates.either
        if left.is_truth:
            assert isinstance(a, int)
            assert isinstance(b, int)
            return either((both((a, b)), both((-a, -b))))
        if isinstance(a, int):
            return literal_of(b, a)
        if isinstance(b, int):
            return literal_of(a, b)
        return either([both((literal, b[key])) for key, literal in a.items() if key is not None and key in b])

    def _at_least(self, node: GroundNode, low: int) -> int:
        """A sum against a bound, term by term: what is left of the bound decides, as in a decision diagram."""
        if node.kind == "sum":
            low -= node.extra[0]
            terms = list(zip(node.extra[1], node.args, strict=True))
        else:
            terms = [(1, node)]
        weighed: list[list[tuple[int, int]]] = []
        for weight, arg in terms:
            several = options(self.value(arg), arg.is_truth)
            weighed.append([(weight * key, literal) for key, literal in several if key is not None])
        if len(weighed) == 1:
            return self._one_of(weighed[0], low)
        least, most = [0], [0]
        for several_ in reversed(weighed):
            if not several_:
                return FALSE
            least.append(least[-1] + min(amount for amount, _ in several_))
            most.append(most[-1] + max(amount for amount, _ in several_))
        known: dict[tuple[int, int], int] = {}

        def reaches(place: int, left: int) -> int:
            if left <= least[len(weighed) - place]:
                return TRUE
            if left > most[len(weighed) - place]:
                return FALSE
            if (place, left) not in known:
                known[place, left] = self.gates.either(
                    [self.gates.both((lit, reaches(place + 1, left - amount))) for amount, lit in weighed[place]]
                )
            return known[place, left]

        return reaches(0, low)

    def _one_of(self, several: list[tuple[int, int]], low: int) -> int:
        """Exactly one of them holds, so the shorter side will do."""
        inside = [literal for amount, literal in several if amount >= low]
        outside = [literal for amount, literal in several if amount < low]
        return self.gates.either(inside) if len(inside) <= len(outside) else -self.gates.either(outside)

    def _chosen(self, node: GroundNode) -> Value:
        test = self.truth(node.args[0])
        if test == TRUE:
            return self.value(node.args[1])
        if test == FALSE:
            return self.value(node.args[2])
        then, otherwise = self.value(node.args[1]), self.value(node.args[2])
        both, either = self.gates.both, self.gates.either
        if node.is_truth:
            assert isinstance(then, int)
            assert isinstance(otherwise, int)
            return either((both((test, then)), both((-test, otherwise))))
        found: dict[int | None, list[int]] = {}
        for value, literal in ((then, test), (otherwise, -test)):
            for key, part in options(value, False):
                found.setdefault(key, []).append(both((literal, part)))
        return self.gates.joined(found, False)

    def _call(self, function: Callable[..., int | None], args: tuple[GroundNode, ...], is_truth: bool) -> Value:
        several = [options(self.value(arg), arg.is_truth) for arg in args]
        found: dict[int | None, list[int]] = {}
        for choice in product(*several):
            keys = [key for key, _ in choice]
            literal = self.gates.both([literal for _, literal in choice])
            if literal != FALSE:
                key = None if None in keys else function(*keys)
                found.setdefault(key, []).append(literal)
        return self.gates.joined(found, is_truth)

    def _look(self, node: GroundNode) -> Value:
        """A map where its index depends on the state."""
        table = self.grounder.tables[node.extra]
        found: dict[int | None, list[int]] = {}
        for choice in product(*(options(self.value(arg), arg.is_truth) for arg in node.args)):
            condition = self.gates.both([literal for _, literal in choice])
            if condition == FALSE:
                continue
            place = table.place(key for key, _ in choice)
            if place is None:
                found.setdefault(None, []).append(condition)
                continue
            for key, literal in options(self.read(place), table.type == BOOL):
                found.setdefault(key, []).append(self.gates.both((condition, literal)))
        return self.gates.joined(found, node.is_truth)
