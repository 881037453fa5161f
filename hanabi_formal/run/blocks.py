"""Statements to Python source. A block happens at once: what it reads is the state before it, whatever it wrote so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from hanabi_formal.diagnostics.source import Span
from hanabi_formal.kernel.build import TRUE, negate
from hanabi_formal.kernel.expr import Expr, Get, Inject, Ite, Lit, Local, locals_in, vars_in
from hanabi_formal.kernel.system import Assign, Block, Case, ForEach, Reveal, System, assignments
from hanabi_formal.kernel.types import type_first, type_size, type_values
from hanabi_formal.run.bounds import bounds, conjuncts
from hanabi_formal.run.emit import Emitter
from hanabi_formal.run.layout import Listed, Packed, Planes, Scalar, strides


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
class _Writes:
    """Slots in the order in which source was written: what was read after it had been written must be kept aside."""

    written: dict[str, int] = field(default_factory=dict)
    clashes: set[str] = field(default_factory=set)


class BlockEmitter:
    """Emits one part of the action variant `number` into `lines`; `dirty` are values whose members may have changed."""

    def __init__(self, emitter: Emitter, faults: list[tuple[str, Span | None]], number: int) -> None:
        self.emitter = emitter
        self.number = number
        self.layout = emitter.layout
        self.faults = faults
        self.lines: list[str] = []
        self.written: set[str] = set()
        self.dirty: set[tuple[str, int]] = set()
        self._aside: set[str] = set()
        self._writes = _Writes()
        self._several: set[str] = set()
        self.deferred: Deferred | None = None

    def _is_deferred(self, var: str, value: int) -> bool:
        return self.deferred is not None and (self.deferred.var, self.deferred.value) == (var, value)

    def part(self, block: Block, indent: int, facts: list[Expr], held: Held | None) -> None:
        """Source for a block. Emitted twice: the first time only to see which slots must be kept aside."""
        counts: dict[str, int] = {}
        for assign in assignments(block):
            counts[assign.var] = counts.get(assign.var, 0) + 1
        self._several = {var for var, many in counts.items() if many > 1 and self._needs_check(block, var)}
        trial = BlockEmitter(self.emitter, list(self.faults), self.number)
        trial._several = self._several
        trial.deferred = self.deferred
        trial._block(block, indent, conjuncts(facts), held)
        self._aside = trial._writes.clashes
        for slot in sorted(self._aside):
            self._line(indent, f"{slot}_ = {self.emitter.slot(slot)}")
        for var in sorted(self._several):
            self._line(indent, f"w_{self._number(var)} = 0")
        self._block(block, indent, conjuncts(facts), held)
        for slot in sorted(self._aside):
            self._line(indent, f"{slot} = {slot}_")

    def _needs_check(self, block: Block, var: str) -> bool:
        """Are there writes to a map that could meet at one index?"""
        return isinstance(self.layout.kept[var], Planes) and len(
            {assign.index for assign in assignments(block) if assign.var == var}
        ) > 1

    def _number(self, var: str) -> int:
        return [known.name for known in self.layout.system.variables].index(var)

    def _line(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    # ---- reading and writing -------------------------------------------------------------------
    def _value(self, expr: Expr, truth: bool = False) -> str:
        before, self.emitter.reads = self.emitter.reads, set()
        text = self.emitter.truth(expr) if truth else self.emitter.value(expr)
        self._note_reads()
        self.emitter.reads |= before
        return text

    def _mask(self, expr: Expr, binder: Local) -> str | None:
        before, self.emitter.reads = self.emitter.reads, set()
        text = self.emitter.mask(expr, binder)
        self._note_reads()
        self.emitter.reads |= before
        return text

    def _note_reads(self) -> None:
        self._writes.clashes |= self.emitter.reads & self._writes.written.keys()

    def _target(self, slot: str) -> str:
        self.written.add(slot)
        self._writes.written[slot] = 1
        return f"{slot}_" if slot in self._aside else slot

    def _fault(self, message: str, span: Span | None) -> int:
        self.faults.append((message, span))
        return len(self.faults) - 1

    # ---- statements ----------------------------------------------------------------------------
    def _block(self, block: Block, indent: int, facts: list[Expr], held: Held | None) -> None:
        for statement in block:
            match statement:
                case Assign():
                    self.emitter.facts = facts
                    self._assign(statement, indent, facts, held)
                case Case():
                    self._case(statement, indent, facts, held)
                case ForEach():
                    self.emitter.facts = facts
                    self._for_each(statement, indent, facts)
                case Reveal():
                    pass

    def _case(self, node: Case, indent: int, facts: list[Expr], held: Held | None) -> None:
        word = "if"
        known = list(facts)
        for branch in node.branches:
            if branch.condition == TRUE and word == "if":
                self._block(branch.block, indent, known, held)
                return
            self.emitter.facts = known
            head = "else:" if branch.condition == TRUE else f"{word} {self._value(branch.condition, truth=True)}:"
            self._line(indent, head)
            start = len(self.lines)
            self._block(branch.block, indent + 1, conjuncts([*known, branch.condition]), held)
            if len(self.lines) == start:
                self._line(indent + 1, "pass")
            known = conjuncts([*known, negate(branch.condition)])
            word = "elif"

    def _assign(self, node: Assign, indent: int, facts: list[Expr], held: Held | None) -> None:
        kept = self.layout.kept[node.var]
        match kept:
            case Scalar(slot):
                text = self._value(node.value)
                target = self._target(slot)
                self._line(indent, f"{target} = {text}")
                self._check_bounds(node, target, indent, facts)
            case Listed(slot):
                self._assign_listed(node, slot, indent, facts)
            case Planes():
                self._assign_plane(node, kept, indent, held)
            case Packed():
                self._assign_packed(node, kept, indent)

    def _check_bounds(self, node: Assign, text: str, indent: int, facts: list[Expr]) -> None:
        allowed = type_values(self.layout.system.variable(node.var).type)
        low, high = bounds(node.value, facts)
        if low < allowed.start or high > allowed[-1]:
            fault = self._fault(f"`{node.var}` is {allowed.start}..{allowed[-1]}, and would leave that", node.span)
            self._line(indent, f"if not {allowed.start} <= {text} <= {allowed[-1]}: fault({fault})")

    def _assign_listed(self, node: Assign, slot: str, indent: int, facts: list[Expr]) -> None:
        kinds = self.layout.system.variable(node.var).index
        steps = strides(kinds)
        terms = [
            f"({self._value(arg)} - {type_first(kind)}) * {step}"
            for arg, kind, step in zip(node.index, kinds, steps, strict=True)
        ]
        at, new = self.emitter.fresh(), self.emitter.fresh()
        self._line(indent, f"{at} = {' + '.join(terms)}")
        self._line(indent, f"{new} = {self._value(node.value)}")
        self._check_bounds(node, new, indent, facts)
        target = self._target(slot)
        self._line(indent, f"{target} = {target}[:{at}] + ({new},) + {target}[{at} + 1:]")

    # ---- maps kept as masks --------------------------------------------------------------------
    def _assign_plane(self, node: Assign, kept: Planes, indent: int, held: Held | None) -> None:
        index = node.index[0]
        known = held if held is not None and held.var == node.var and index == held.param else None
        card = self._value(index)
        if known is None and not card.isidentifier():
            name = self.emitter.fresh()
            self._line(indent, f"{name} = {card}")
            card = name
        bit = self.emitter.fresh()
        self._line(indent, f"{bit} = BITS[{card}]")
        if node.var in self._several:
            fault = self._fault(f"`{node.var}` is updated twice at one index", node.span)
            seen = f"w_{self._number(node.var)}"
            self._line(indent, f"if {seen} & {bit}: fault({fault})")
            self._line(indent, f"{seen} |= {bit}")
        if known is not None:
            self._leave(kept, node.var, known.value, bit, card, known.position, indent)
        else:
            # Almost always an individual comes from where all were at first; any other case is left to the slow reading.
            home = self.emitter.slot(kept.slots[0])
            self._note_reads()
            self._line(indent, f"if not {home} & {bit}: return slowly(D, s, k, {self.number})")
            self._leave(kept, node.var, 0, bit, card, None, indent)
        self._arrive(node, kept, bit, card, indent)

    def _leave(self, kept: Planes, var: str, value: int, bit: str, card: str, position: str | None, indent: int) -> None:
        self._line(indent, f"{self._target(kept.slots[value])} ^= {bit}")
        if value in kept.members and not self._is_deferred(var, value):
            members = self._target(kept.members[value])
            if position is None:
                self._line(indent, f"{members} = without({members}, {card})")
            else:
                self._line(indent, f"{members} = {members}[:{position}] + {members}[{position} + 1:]")
            self._changed(kept, var, value)

    def _arrive(self, node: Assign, kept: Planes, bit: str, card: str, indent: int) -> None:
        value = node.value
        if isinstance(value, Lit):
            self._enter(kept, node.var, value.value - kept.first, bit, card, indent)
            return
        if isinstance(value, Ite):
            self._line(indent, f"if {self._value(value.condition, truth=True)}:")
            self._arrive(_with_value(node, value.then), kept, bit, card, indent + 1)
            self._line(indent, "else:")
            self._arrive(_with_value(node, value.otherwise), kept, bit, card, indent + 1)
            return
        possible = range(len(kept.slots))
        if isinstance(value, Inject):
            start = value.type.offsets[value.constructor]
            possible = range(start, start + value.type.constructors[value.constructor].size)
        name = self.emitter.fresh()
        self._line(indent, f"{name} = {self._value(value)}")
        for number, at in enumerate(possible):
            self._line(indent, f"{'elif' if number else 'if'} {name} == {at + kept.first}:")
            self._enter(kept, node.var, at, bit, card, indent + 1)

    def _enter(self, kept: Planes, var: str, value: int, bit: str, card: str, indent: int) -> None:
        self._line(indent, f"{self._target(kept.slots[value])} |= {bit}")
        if self.deferred is not None and self._is_deferred(var, value):
            self._line(indent, f"{self.deferred.arrived} = {card}")
        elif value in kept.members:
            members = self._target(kept.members[value])
            self._line(indent, f"{members} = {members} + ({card},) if not {members} or {members}[-1] < {card} "
                               f"else including({members}, {card})")  # fmt: skip
            self._changed(kept, var, value)

    def _changed(self, kept: Planes, var: str, value: int) -> None:
        """Options of a value whose members change are worked out once, at the end of the step."""
        if kept.options.get(value):
            self.dirty.add((var, value))

    def _assign_packed(self, node: Assign, kept: Packed, indent: int) -> None:
        read = Get(node.var, node.index, node.value.type)
        bit, new = self.emitter.fresh(), self.emitter.fresh()
        self._line(indent, f"{bit} = 1 << {self.emitter._bit(read, kept)}")
        self._note_reads()
        self._line(indent, f"{new} = {self._value(node.value)}")
        for value in range(1, len(kept.slots)):
            slot = self._target(kept.slots[value])
            self._line(indent, f"{slot} = {slot} | {bit} if {new} == {value + kept.first} else {slot} & ~{bit}")

    # ---- loops ---------------------------------------------------------------------------------
    def _for_each(self, node: ForEach, indent: int, facts: list[Expr]) -> None:
        if self._for_each_masked(node, indent):
            return
        loops = 0
        for binder in node.binders:
            name = self.emitter.fresh()
            self.emitter.names[binder.name] = name
            values = type_values(binder.type)
            self._line(indent + loops, f"for {name} in range({values.start}, {values.stop}):")
            loops += 1
        self._line(indent + loops, f"if {self._value(node.where, truth=True)}:")
        start = len(self.lines)
        self._block(node.block, indent + loops + 1, conjuncts([*facts, node.where]), None)
        if len(self.lines) == start:
            self._line(indent + loops + 1, "pass")

    def _for_each_masked(self, node: ForEach, indent: int) -> bool:
        """`for c where φ { relation[c, x]' = … }` on packed masks, if that is what it is."""
        if len(node.binders) != 1 or len(node.block) != 1 or not isinstance(node.block[0], Assign):
            return False
        binder, assign = node.binders[0], node.block[0]
        kept = self.layout.kept[assign.var]
        if not isinstance(kept, Packed) or assign.index[kept.big] != binder:
            return False
        if sum(arg == binder for arg in assign.index) != 1:
            return False
        chosen = self._mask(node.where, binder)
        if chosen is None:
            return False
        some, shift, others = self.emitter.fresh(), self.emitter.fresh(), self.emitter.fresh()
        start = len(self.lines)
        self._line(indent, f"{some} = {chosen}")
        planes = self._value_masks(assign.value, binder, kept, some, indent)
        if planes is None:
            del self.lines[start:]
            return False
        read = Get(assign.var, assign.index, assign.value.type)
        self._line(indent, f"{shift} = ({self.emitter._offset(read, kept.big)}) * {kept.size}")
        once = is_written_once(self.layout.system, assign.var)
        if not once:
            self._line(indent, f"{others} = ~({some} << {shift})")
        for value in range(1, len(kept.slots)):
            mask = planes.get(value)
            if once and mask is None:
                continue
            slot = self._target(kept.slots[value])
            if once:
                self._line(indent, f"{slot} |= {mask} << {shift}")
            else:
                plus = "" if mask is None else f" | {mask} << {shift}"
                self._line(indent, f"{slot} = {slot} & {others}{plus}")
        return True

    def _value_masks(self, value: Expr, binder: Local, kept: Packed, some: str, indent: int) -> dict[int, str] | None:
        """For each value the mask of those among `some` that get it."""
        if isinstance(value, Lit):
            return {value.value - kept.first: some}
        if not isinstance(value, Ite):
            return None
        test = self._mask(value.condition, binder)
        if test is None:
            return None
        yes, no = self.emitter.fresh(), self.emitter.fresh()
        self._line(indent, f"{yes} = {some} & {test}")
        self._line(indent, f"{no} = {some} ^ {yes}")
        first = self._value_masks(value.then, binder, kept, yes, indent)
        second = self._value_masks(value.otherwise, binder, kept, no, indent)
        if first is None or second is None:
            return None
        both = {number: f"({first[number]} | {second[number]})" for number in first.keys() & second.keys()}
        return {**first, **second, **both}


def is_written_once(system: System, var: str) -> bool:
    """Does every write of a map give an index the same value, whatever the state, and was the first value another?

    Then a second write changes nothing, and no old value need be cleared.
    """
    found = [assign for action in system.actions for block in (action.first, action.second)
             for assign in assignments(block) if assign.var == var]  # fmt: skip
    init = next(init for init in system.inits if init.var == var)
    if len(found) != 1 or init.value != Lit(type_first(init.value.type), init.value.type):
        return False
    index, value = found[0].index, found[0].value
    names = {arg.name for arg in index if isinstance(arg, Local)}
    return len(names) == len(index) and locals_in(value) <= names and not vars_in(value)


def _with_value(node: Assign, value: Expr) -> Assign:
    return Assign(node.var, node.index, value, node.clauses, node.span)
