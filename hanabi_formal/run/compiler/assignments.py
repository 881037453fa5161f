"""Assignments to Python statements: what it takes to write a value where the layout keeps it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from hanabi_formal.kernel.build import negate
from hanabi_formal.kernel.expr import Expr, Get, Inject, Ite, Lit, Local
from hanabi_formal.kernel.system import Assign
from hanabi_formal.kernel.types import type_values
from hanabi_formal.run.compiler import code as py
from hanabi_formal.run.compiler.action_variants import Domain
from hanabi_formal.run.compiler.bounds import bounds
from hanabi_formal.run.compiler.code import PyExpr, PyName
from hanabi_formal.run.compiler.emit import Emitter
from hanabi_formal.run.compiler.layout import Listed, Packed, Planes, Scalar
from hanabi_formal.run.faults import Fault, FaultKind

T = TypeVar("T")
Lines = list[py.PyStatement]


@dataclass(frozen=True)
class StepOf:
    """Which step is emitted: that of the variant `number`, for the action's `code` counted from the variant's base.

    The action's card is in the `domain`, at a `position` among the members if it is known to be there still. If there
    is a name for who `arrived`, those members are put together once, at the end of the step.
    """

    number: int
    code: PyExpr
    domain: Domain | None
    position: PyName | None
    arrived: PyName | None = None


@dataclass
class Writes:
    """Slots written so far, and among them those read afterwards, which must be kept aside.

    `shifted` are members among which somebody other than the action's card came or left.
    """

    written: set[PyName] = field(default_factory=set)
    clashes: set[PyName] = field(default_factory=set)
    shifted: set[PyName] = field(default_factory=set)


@dataclass(frozen=True)
class Move:
    """Somebody who leaves one value of a map and gets another: the map, and the names of the individual and its bit."""

    var: str
    kept: Planes
    card: PyName
    bit: PyName


class AssignmentEmitter:
    """Emits assignments of a step; `dirty` are values whose members may have changed."""

    def __init__(self, emitter: Emitter, faults: list[Fault], step: StepOf) -> None:
        self.emitter = emitter
        self.layout = emitter.layout
        self.faults = faults
        self.step = step
        self.position = step.position
        self.written: set[PyName] = set()
        self.dirty: set[tuple[str, int]] = set()
        self._aside: set[PyName] = set()
        self._writes = Writes()
        self._several: frozenset[str] = frozenset()

    def _arrived(self, move: Move, value: int) -> PyName | None:
        """The name for who gets that value, if its members are put together at the end of the step."""
        domain = self.step.domain
        return self.step.arrived if domain is not None and (domain.var, domain.value) == (move.var, value) else None

    def _seen(self, var: str) -> PyName:
        """The name of the mask of places written so far."""
        return PyName("w", [known.name for known in self.layout.system.variables].index(var))

    # ---- reading and writing -------------------------------------------------------------------
    def _noting(self, emit: Callable[[], T]) -> T:
        """An expression that reads; what it reads after it was written is noted."""
        before, self.emitter.reads = self.emitter.reads, set()
        found = emit()
        self._writes.clashes |= self.emitter.reads & self._writes.written
        self.emitter.reads |= before
        return found

    def _value(self, expr: Expr) -> PyExpr:
        return self._noting(lambda: self.emitter.value(expr))

    def _truth(self, expr: Expr) -> PyExpr:
        return self._noting(lambda: self.emitter.truth(expr))

    def _mask(self, expr: Expr, binder: Local) -> PyExpr | None:
        return self._noting(lambda: self.emitter.mask(expr, binder))

    def _target(self, slot: PyName) -> PyName:
        self.written.add(slot)
        self._writes.written.add(slot)
        return slot.aside if slot in self._aside else slot

    def _fault(self, kind: FaultKind, message: str, node: Assign) -> py.PyStatement:
        self.faults.append(Fault(kind, message, node.span, node.var))
        return py.does(py.apply("fault", len(self.faults) - 1))

    def _watch(self, node: Assign, places: PyExpr) -> Lines:
        """No place is written twice. `places` is a mask of what is written here."""
        if node.var not in self._several:
            return []
        fault = self._fault(FaultKind.WRITTEN_TWICE, f"`{node.var}` is updated twice at one index", node)
        seen = self._seen(node.var)
        return [py.branch(py.infix("&", seen, places), fault), py.InPlaceStore(seen, "|", places)]

    def _check_bounds(self, node: Assign, value: PyExpr) -> Lines:
        allowed = type_values(self.layout.system.variable(node.var).type)
        low, high = bounds(node.value, self.emitter.facts)
        if allowed.start <= low and high <= allowed[-1]:
            return []
        message = f"`{node.var}` is {allowed.start}..{allowed[-1]}, and would leave that"
        fault = self._fault(FaultKind.OUT_OF_BOUNDS, message, node)
        return [py.branch(py.negation(py.infix("<=", allowed.start, value, allowed[-1])), fault)]

    def _named(self, value: PyExpr) -> tuple[PyName, Lines]:
        """A fresh name for a value."""
        name = self.emitter.fresh()
        return name, [py.Store(name, value)]

    def _assign(self, node: Assign) -> Lines:
        kept = self.layout.kept[node.var]
        match kept:
            case Scalar(slot):
                watched = self._watch(node, 1)
                value = self._value(node.value)
                target = self._target(slot)
                return [*watched, py.Store(target, value), *self._check_bounds(node, target)]
            case Listed(slot):
                return self._assign_listed(node, slot)
            case Planes():
                return self._assign_plane(node, kept)
            case Packed():
                return self._assign_packed(node, kept)

    def _read(self, node: Assign) -> Get:
        """What is written, as it would be read."""
        return Get(node.var, node.index, self.layout.system.variable(node.var).type)

    def _assign_listed(self, node: Assign, slot: PyName) -> Lines:
        at, lines = self._named(self._noting(lambda: self.emitter.offset(self._read(node))))
        lines += self._watch(node, py.infix("<<", 1, at))
        new, more = self._named(self._value(node.value))
        lines += [*more, *self._check_bounds(node, new)]
        target = self._target(slot)
        return [*lines, py.Store(target, _spliced(target, at, new))]

    def _assign_packed(self, node: Assign, kept: Packed) -> Lines:
        bit, lines = self._named(py.infix("<<", 1, self._noting(lambda: self.emitter.bit(self._read(node), kept))))
        lines += self._watch(node, bit)
        new, more = self._named(self._value(node.value))
        lines += [*more, *self._check_bounds(node, new)]
        for value, slot in enumerate(kept.slots[1:], kept.first + 1):
            target = self._target(slot)
            cleared = py.infix("&", target, py.Prefix("~", bit))
            lines.append(py.Store(target, py.ternary(py.infix("|", target, bit), py.infix("==", new, value), cleared)))
        return lines

    # ---- maps kept as masks --------------------------------------------------------------------
    def _assign_plane(self, node: Assign, kept: Planes) -> Lines:
        index = node.index[0]
        card = self._value(index)
        lines: Lines = []
        if not isinstance(card, PyName):
            card, lines = self._named(card)
        bit, more = self._named(py.subscript(PyName("BITS"), card))
        lines += [*more, *self._watch(node, bit)]
        move = Move(node.var, kept, card, bit)
        domain = self.step.domain
        if self.position is not None and domain is not None and (domain.var, domain.param) == (node.var, index):
            lines += self._leave(move, domain.value, self.position)
        else:
            low, high = bounds(self._read(node), self.emitter.facts)
            possible = range(low - kept.first, high - kept.first + 1)
            if len(possible) == 1 or isinstance(index, Local):
                lines += self._leave_one_of(move, possible)
            else:
                lines += self._leave_somewhere(move)
        return [*lines, *self._arrive(node, move)]

    def _leave_somewhere(self, move: Move) -> Lines:
        """Whoever is worked out, such as the next one, almost always comes from where all were at first; others are
        left to the slow reading."""
        home = self._noting(lambda: self.emitter.slot(move.kept.slots[0]))
        return [py.branch(py.negation(py.infix("&", home, move.bit)), self._slowly()), *self._leave(move, 0)]

    def _leave_one_of(self, move: Move, possible: range) -> Lines:
        """Whoever is chosen, or gone through, comes from any of these values."""
        planes = self._noting(lambda: [self.emitter.slot(move.kept.slots[value]) for value in possible])
        leaving = [[self._slowly()] if self._arrived(move, value) else self._leave(move, value) for value in possible]
        return cases([py.infix("&", plane, move.bit) for plane in planes], leaving)

    def _slowly(self) -> py.PyStatement:
        return py.gives(py.apply("slowly", PyName("D"), PyName("s"), self.step.code, self.step.number))

    def _leave(self, move: Move, value: int, position: PyName | None = None) -> Lines:
        kept = move.kept
        lines: Lines = [py.InPlaceStore(self._target(kept.slots[value]), "^", move.bit)]
        if value in kept.members and not self._arrived(move, value):
            members = kept.members[value]
            if position is None:
                self._writes.shifted.add(members)
            known = None if members in self._writes.shifted else position
            lines.append(self._taking_out(self._target(members), move.card, known))
            self._changed(move, value)
        return lines

    def _taking_out(self, members: PyName, card: PyName, position: PyExpr | None) -> py.PyStatement:
        if position is None:
            return py.Store(members, py.apply("without", members, card))
        return py.Store(members, _spliced(members, position))

    def _arrive(self, node: Assign, move: Move) -> Lines:
        kept, value = move.kept, node.value
        if isinstance(value, Lit):
            lines = self._check_bounds(node, value.value)
            if 0 <= value.value - kept.first < len(kept.slots):
                lines += self._enter(move, value.value - kept.first)
            return lines
        if isinstance(value, Ite):
            test = self._truth(value.condition)
            with self.emitter.knowing(value.condition):
                then = self._arrive(replace(node, value=value.then), move)
            with self.emitter.knowing(negate(value.condition)):
                otherwise = self._arrive(replace(node, value=value.otherwise), move)
            return [py.Branching(((test, then),), otherwise)]
        possible = range(len(kept.slots))
        if isinstance(value, Inject):
            start = value.type.offsets[value.constructor]
            possible = range(start, start + value.type.constructors[value.constructor].size)
        name, lines = self._named(self._value(value))
        lines += self._check_bounds(node, name)
        entering = [(py.infix("==", name, at + kept.first), self._enter(move, at)) for at in possible]
        return [*lines, py.Branching(tuple(entering))]

    def _enter(self, move: Move, value: int) -> Lines:
        plane = self._target(move.kept.slots[value])
        lines: Lines = []
        arrived = self._arrived(move, value)
        if arrived is not None:
            lines.append(py.Store(arrived, move.card))
        elif value in move.kept.members:
            members = self._target(move.kept.members[value])
            self._writes.shifted.add(move.kept.members[value])
            lines.append(self._putting_in(members, move.card, py.infix("<", plane, move.bit)))
            self._changed(move, value)
        return [*lines, py.InPlaceStore(plane, "|", move.bit)]

    def _putting_in(self, members: PyName, card: PyName, is_last: PyExpr) -> py.PyStatement:
        including = py.apply("including", members, card)
        return py.Store(members, py.ternary(py.infix("+", members, py.display([card])), is_last, including))

    def _changed(self, move: Move, value: int) -> None:
        """Options of a value whose members change are worked out once, at the end of the step."""
        if move.kept.options.get(value):
            self.dirty.add((move.var, value))


def cases(tests: list[PyExpr], blocks: list[Lines]) -> Lines:
    """The block beside the first test that holds; the last one is taken for granted."""
    if len(blocks) == 1:
        return blocks[0]
    return [py.Branching(tuple(zip(tests[:-1], blocks[:-1], strict=True)), blocks[-1])]


def _spliced(whole: PyName, at: PyExpr, *new: PyExpr) -> PyExpr:
    """A tuple without the item at a place, or with another there."""
    rest = py.Slicing(whole, py.infix("+", at, 1))
    return py.infix("+", py.Slicing(whole, None, at), *([py.display(new)] if new else []), rest)
