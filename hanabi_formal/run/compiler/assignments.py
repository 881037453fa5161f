"""Assignments to Python source: what it takes to write a value where the layout keeps it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from hanabi_formal.kernel.build import negate
from hanabi_formal.kernel.expr import Expr, Get, Inject, Ite, Lit, Local
from hanabi_formal.kernel.system import Assign
from hanabi_formal.kernel.types import type_first, type_values
from hanabi_formal.run.compiler.bounds import bounds, conjuncts
from hanabi_formal.run.compiler.emit import Emitter
from hanabi_formal.run.compiler.layout import Listed, Packed, Planes, Scalar, strides
from hanabi_formal.run.faults import Breach, FaultKind

T = TypeVar("T")


@dataclass(frozen=True)
class Held:
    """The action's card: known to have that value of the map, at that position among the members."""

    var: str
    param: Local
    value: int
    position: str


@dataclass(frozen=True)
class Deferred:
    """Members of a value that are put together once, at the end of the step; `arrived` names who came."""

    var: str
    value: int
    arrived: str


@dataclass
class Writes:
    """Slots written so far, and among them those read afterwards, which must be kept aside.

    `shifted` are members among which somebody other than the action's card came or left.
    """

    written: set[str] = field(default_factory=set)
    clashes: set[str] = field(default_factory=set)
    shifted: set[str] = field(default_factory=set)


class AssignmentEmitter:
    """Emits assignments of the action variant `number` into `lines`; `dirty` are values whose members may have changed.

    `code` is the source of the action's number, counted from the variant's base.
    """

    def __init__(self, emitter: Emitter, faults: list[Breach], number: int, code: str) -> None:
        self.emitter = emitter
        self.number = number
        self.code = code
        self.layout = emitter.layout
        self.faults = faults
        self.lines: list[str] = []
        self.written: set[str] = set()
        self.dirty: set[tuple[str, int]] = set()
        self._aside: set[str] = set()
        self._writes = Writes()
        self._several: frozenset[str] = frozenset()
        self.deferred: Deferred | None = None

    def _is_deferred(self, var: str, value: int) -> bool:
        return self.deferred is not None and (self.deferred.var, self.deferred.value) == (var, value)

    def _number(self, var: str) -> int:
        return [known.name for known in self.layout.system.variables].index(var)

    def _line(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    # ---- reading and writing -------------------------------------------------------------------
    def _noting(self, emit: Callable[[], T]) -> T:
        """Source that reads; what it reads after it was written is noted."""
        before, self.emitter.reads = self.emitter.reads, set()
        text = emit()
        self._writes.clashes |= self.emitter.reads & self._writes.written
        self.emitter.reads |= before
        return text

    def _value(self, expr: Expr) -> str:
        return self._noting(lambda: self.emitter.value(expr))

    def _truth(self, expr: Expr) -> str:
        return self._noting(lambda: self.emitter.truth(expr))

    def _mask(self, expr: Expr, binder: Local) -> str | None:
        return self._noting(lambda: self.emitter.mask(expr, binder))

    def _target(self, slot: str) -> str:
        self.written.add(slot)
        self._writes.written.add(slot)
        return f"{slot}_" if slot in self._aside else slot

    def _fault(self, kind: FaultKind, message: str, node: Assign) -> int:
        self.faults.append(Breach(kind, message, node.span, node.var))
        return len(self.faults) - 1

    def _watch(self, node: Assign, places: str, indent: int) -> None:
        """No place is written twice. `places` is the source of a mask of what is written here."""
        if node.var in self._several:
            fault = self._fault(FaultKind.WRITTEN_TWICE, f"`{node.var}` is updated twice at one index", node)
            seen = f"w_{self._number(node.var)}"
            self._line(indent, f"if {seen} & {places}: fault({fault})")
            self._line(indent, f"{seen} |= {places}")

    def _assign(self, node: Assign, indent: int, facts: list[Expr], held: Held | None) -> None:
        kept = self.layout.kept[node.var]
        match kept:
            case Scalar(slot):
                self._watch(node, "1", indent)
                text = self._value(node.value)
                target = self._target(slot)
                self._line(indent, f"{target} = {text}")
                self._check_bounds(node, target, indent, facts)
            case Listed(slot):
                self._assign_listed(node, slot, indent, facts)
            case Planes():
                self._assign_plane(node, kept, indent, facts, held)
            case Packed():
                self._assign_packed(node, kept, indent, facts)

    def _check_bounds(self, node: Assign, text: str, indent: int, facts: list[Expr]) -> None:
        allowed = type_values(self.layout.system.variable(node.var).type)
        low, high = bounds(node.value, facts)
        if low < allowed.start or high > allowed[-1]:
            message = f"`{node.var}` is {allowed.start}..{allowed[-1]}, and would leave that"
            fault = self._fault(FaultKind.OUT_OF_BOUNDS, message, node)
            self._line(indent, f"if not {allowed.start} <= {text} <= {allowed[-1]}: fault({fault})")

    def _assign_listed(self, node: Assign, slot: str, indent: int, facts: list[Expr]) -> None:
        kinds = self.layout.system.variable(node.var).index
        steps = strides(kinds)
        digits = self._noting(lambda: [self.emitter.within(a, kind) for a, kind in zip(node.index, kinds, strict=True)])
        terms = [
            f"({digit} - {type_first(kind)}) * {step}" for digit, kind, step in zip(digits, kinds, steps, strict=True)
        ]
        at, new = self.emitter.fresh(), self.emitter.fresh()
        self._line(indent, f"{at} = {' + '.join(terms)}")
        self._watch(node, f"1 << {at}", indent)
        self._line(indent, f"{new} = {self._value(node.value)}")
        self._check_bounds(node, new, indent, facts)
        target = self._target(slot)
        self._line(indent, f"{target} = {target}[:{at}] + ({new},) + {target}[{at} + 1:]")

    # ---- maps kept as masks --------------------------------------------------------------------
    def _assign_plane(self, node: Assign, kept: Planes, indent: int, facts: list[Expr], held: Held | None) -> None:
        index = node.index[0]
        known = held if held is not None and held.var == node.var and index == held.param else None
        card = self._value(index)
        if known is None and not card.isidentifier():
            name = self.emitter.fresh()
            self._line(indent, f"{name} = {card}")
            card = name
        bit = self.emitter.fresh()
        self._line(indent, f"{bit} = BITS[{card}]")
        self._watch(node, bit, indent)
        if known is not None:
            self._leave(kept, node.var, known.value, bit, card, known.position, indent)
        else:
            low, high = bounds(Get(node.var, node.index, self.layout.system.variable(node.var).type), facts)
            possible = range(low - kept.first, high - kept.first + 1)
            if len(possible) == 1 or isinstance(index, Local):
                self._leave_one_of(possible, kept, node.var, bit, card, indent)
            else:
                self._leave_somewhere(kept, node.var, bit, card, indent)
        self._arrive(node, kept, bit, card, indent, facts)

    def _leave_somewhere(self, kept: Planes, var: str, bit: str, card: str, indent: int) -> None:
        """Whoever is worked out, such as the next one, almost always comes from where all were at first; others are
        left to the slow reading."""
        home = self._noting(lambda: self.emitter.slot(kept.slots[0]))
        self._line(indent, f"if not {home} & {bit}: {self._slowly()}")
        self._leave(kept, var, 0, bit, card, None, indent)

    def _leave_one_of(self, possible: range, kept: Planes, var: str, bit: str, card: str, indent: int) -> None:
        """Whoever is chosen, or gone through, comes from any of these values."""
        planes = self._noting(lambda: [self.emitter.slot(kept.slots[value]) for value in possible])
        for plane, value in zip(planes, possible, strict=True):
            inner = indent
            if len(possible) > 1:
                word = "if" if value == possible[0] else "elif"
                self._line(indent, "else:" if value == possible[-1] else f"{word} {plane} & {bit}:")
                inner += 1
            if self._is_deferred(var, value):
                self._line(inner, self._slowly())
            else:
                self._leave(kept, var, value, bit, card, None, inner)

    def _slowly(self) -> str:
        return f"return slowly(D, s, {self.code}, {self.number})"

    def _leave(
        self, kept: Planes, var: str, value: int, bit: str, card: str, position: str | None, indent: int
    ) -> None:
        self._line(indent, f"{self._target(kept.slots[value])} ^= {bit}")
        if value in kept.members and not self._is_deferred(var, value):
            members = self._target(kept.members[value])
            if position is None:
                self._writes.shifted.add(kept.members[value])
            if kept.members[value] in self._writes.shifted:
                position = None
            self._line(indent, self._taking_out(members, card, position))
            self._changed(kept, var, value)

    def _taking_out(self, members: str, card: str, position: str | None) -> str:
        if position is None:
            return f"{members} = without({members}, {card})"
        return f"{members} = {members}[:{position}] + {members}[{position} + 1:]"

    def _arrive(self, node: Assign, kept: Planes, bit: str, card: str, indent: int, facts: list[Expr]) -> None:
        value = node.value
        if isinstance(value, Lit):
            self._check_bounds(node, str(value.value), indent, facts)
            if 0 <= value.value - kept.first < len(kept.slots):
                self._enter(kept, node.var, value.value - kept.first, bit, card, indent)
            return
        if isinstance(value, Ite):
            self.emitter.facts = facts
            self._line(indent, f"if {self._truth(value.condition)}:")
            known = conjuncts([*facts, value.condition])
            self._arrive(_with_value(node, value.then), kept, bit, card, indent + 1, known)
            self._line(indent, "else:")
            known = conjuncts([*facts, negate(value.condition)])
            self._arrive(_with_value(node, value.otherwise), kept, bit, card, indent + 1, known)
            return
        possible = range(len(kept.slots))
        if isinstance(value, Inject):
            start = value.type.offsets[value.constructor]
            possible = range(start, start + value.type.constructors[value.constructor].size)
        name = self.emitter.fresh()
        self.emitter.facts = facts
        self._line(indent, f"{name} = {self._value(value)}")
        self._check_bounds(node, name, indent, facts)
        for number, at in enumerate(possible):
            self._line(indent, f"{'elif' if number else 'if'} {name} == {at + kept.first}:")
            self._enter(kept, node.var, at, bit, card, indent + 1)

    def _enter(self, kept: Planes, var: str, value: int, bit: str, card: str, indent: int) -> None:
        plane = self._target(kept.slots[value])
        if self.deferred is not None and self._is_deferred(var, value):
            self._line(indent, f"{self.deferred.arrived} = {card}")
        elif value in kept.members:
            members = self._target(kept.members[value])
            self._writes.shifted.add(kept.members[value])
            self._line(indent, self._putting_in(members, card, f"{plane} < {bit}"))
            self._changed(kept, var, value)
        self._line(indent, f"{plane} |= {bit}")

    def _putting_in(self, members: str, card: str, is_last: str) -> str:
        return f"{members} = {members} + ({card},) if {is_last} else including({members}, {card})"

    def _changed(self, kept: Planes, var: str, value: int) -> None:
        """Options of a value whose members change are worked out once, at the end of the step."""
        if kept.options.get(value):
            self.dirty.add((var, value))

    def _assign_packed(self, node: Assign, kept: Packed, indent: int, facts: list[Expr]) -> None:
        read = Get(node.var, node.index, node.value.type)
        bit, new = self.emitter.fresh(), self.emitter.fresh()
        self._line(indent, f"{bit} = 1 << {self._noting(lambda: self.emitter.bit(read, kept))}")
        self._watch(node, bit, indent)
        self._line(indent, f"{new} = {self._value(node.value)}")
        self._check_bounds(node, new, indent, facts)
        for value in range(1, len(kept.slots)):
            slot = self._target(kept.slots[value])
            self._line(indent, f"{slot} = {slot} | {bit} if {new} == {value + kept.first} else {slot} & ~{bit}")


def _with_value(node: Assign, value: Expr) -> Assign:
    return Assign(node.var, node.index, value, node.clauses, node.span)
