"""Statements to Python source. A block happens at once: it reads the state before it, whatever it wrote so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hanabi_formal.kernel.build import TRUE, negate
from hanabi_formal.kernel.expr import Expr, Get, Ite, Lit, Local, locals_in
from hanabi_formal.kernel.system import Assign, Block, Case, ForEach, Reveal
from hanabi_formal.kernel.types import type_values
from hanabi_formal.run.compiler.assignments import AssignmentEmitter, Held
from hanabi_formal.run.compiler.bounds import conjuncts, is_total
from hanabi_formal.run.compiler.emit import Emitter
from hanabi_formal.run.compiler.layout import Packed
from hanabi_formal.run.compiler.writes import is_written_once, meeting
from hanabi_formal.run.faults import Breach, FaultKind

RARELY = "z"


@dataclass(frozen=True)
class EndTest:
    """Source of an end's condition, and the slots it reads. `nests`: it may be asked just where they are written."""

    text: str
    number: int
    reads: frozenset[str]
    nests: bool


class BlockEmitter(AssignmentEmitter):
    """Emits one part of an action, with the ends after it. `rare` are slots written only where `RARELY` is set."""

    def __init__(self, emitter: Emitter, faults: list[Breach], number: int, code: str) -> None:
        super().__init__(emitter, faults, number, code)
        self.rare: set[str] = set()
        self._is_trial = False
        self._written_at: dict[tuple[int, ...], set[str]] = {}

    def part(
        self, block: Block, indent: int, facts: list[Expr], held: Held | None, ends: Callable[[set[str]], list[EndTest]]
    ) -> str:
        """Source for a block and for the ends after it; gives the head of what follows if none has come, or nothing.

        Emitted twice: the first time only to see what is written where, and which slots must be kept aside.
        """
        self._several = meeting(block)
        trial = type(self)(self.emitter, list(self.faults), self.number, self.code)
        trial._is_trial = True
        trial._several = self._several
        trial.deferred = self.deferred
        trial._block(block, indent, conjuncts(facts), held, (), [])
        self._aside = trial._writes.clashes
        self._written_at = trial._written_at
        for slot in sorted(self._aside):
            self._line(indent, f"{slot}_ = {self.emitter.slot(slot)}")
        for var in sorted(self._several):
            self._line(indent, f"w_{self._number(var)} = 0")
        tests = [self._if_rare(test, trial.written) for test in ends(trial.written | trial.rare)]
        if trial.rare:
            self._line(indent, f"{RARELY} = 0")
        rest = self._block(block, indent, conjuncts(facts), held, (), tests)
        for slot in sorted(self._aside):
            self._line(indent, f"{slot} = {slot}_")
        some_nested = len(rest) < len(tests)
        self._ends(rest, indent, some_nested)
        return "if not end:" if some_nested else "else:" if tests else ""

    def _if_rare(self, test: EndTest, written: set[str]) -> EndTest:
        """A test of what hardly ever changes, to be asked only if it did."""
        if not test.nests or test.reads & written:
            return test
        return EndTest(f"{RARELY} and {test.text}", test.number, test.reads, nests=False)

    def _ends(self, tests: list[EndTest], indent: int, others: bool = True) -> None:
        """Of all ends that come together the first one counts."""
        for place, test in enumerate(tests):
            first = f" and not 0 < end < {test.number}" if others else ""
            self._line(indent, f"{'elif' if place else 'if'} {test.text}{first}: end = {test.number}")

    # ---- statements ----------------------------------------------------------------------------
    def _block(
        self,
        block: Block,
        indent: int,
        facts: list[Expr],
        held: Held | None,
        path: tuple[int, ...],
        tests: list[EndTest],
    ) -> list[EndTest]:
        """Source for the block at `path`; gives those of the tests that are left to be asked after it."""
        inside = {test.number: self._where_to_ask(test, block, path) for test in tests}
        for place, statement in enumerate(block):
            here = (*path, place)
            before, self.written = self.written, set()
            match statement:
                case Assign():
                    self.emitter.facts = facts
                    self._assign(statement, indent, facts, held)
                case Case():
                    mine = [test for test in tests if inside[test.number] == place]
                    self._case(statement, indent, facts, held, here, mine)
                case ForEach():
                    self.emitter.facts = facts
                    self._for_each(statement, indent, facts, here)
                case Reveal():
                    pass
            self._note_written(here, before)
        return [test for test in tests if inside[test.number] is None]

    def _note_written(self, path: tuple[int, ...], before: set[str]) -> None:
        self._written_at[path] = self._written_at.get(path, set()) | self.written
        self.written |= before

    def _where_to_ask(self, test: EndTest, block: Block, path: tuple[int, ...]) -> int | None:
        """The one case of a block in some branches of which all is written that the test reads."""
        writing = [i for i in range(len(block)) if self._written_at[*path, i] & test.reads]
        if not test.nests or len(writing) != 1 or test.reads & self._aside:
            return None
        case = block[writing[0]]
        if not isinstance(case, Case):
            return None
        taken = [self._written_at.get((*path, writing[0], i), set()) & test.reads for i in range(len(case.branches))]
        return None if all(taken) and case.branches[-1].condition == TRUE else writing[0]

    def _case(
        self, node: Case, indent: int, facts: list[Expr], held: Held | None, path: tuple[int, ...], tests: list[EndTest]
    ) -> None:
        word = "if"
        known = list(facts)
        for place, branch in enumerate(node.branches):
            here = (*path, place)
            mine = [test for test in tests if self._written_at[here] & test.reads]
            always = branch.condition == TRUE and word == "if"
            if not always:
                self.emitter.facts = known
                head = "else:" if branch.condition == TRUE else f"{word} {self._truth(branch.condition)}:"
                self._line(indent, head)
            start = len(self.lines)
            before, self.written = self.written, set()
            inner = indent if always else indent + 1
            rest = self._block(branch.block, inner, conjuncts([*known, branch.condition]), held, here, mine)
            self._ends(rest, inner)
            self._note_written(here, before)
            if always:
                return
            if len(self.lines) == start:
                self._line(inner, "pass")
            known = conjuncts([*known, negate(branch.condition)])
            word = "elif"

    # ---- loops ---------------------------------------------------------------------------------
    def _for_each(self, node: ForEach, indent: int, facts: list[Expr], path: tuple[int, ...]) -> None:
        if self._for_each_masked(node, indent, facts):
            return
        loops = 0
        for binder in node.binders:
            name = self.emitter.fresh()
            self.emitter.names[binder.name] = name
            values = type_values(binder.type)
            self._line(indent + loops, f"for {name} in range({values.start}, {values.stop}):")
            loops += 1
        # On trial the body is gone through twice: what it writes the first time round it may read the second.
        for _ in range(2 if self._is_trial else 1):
            self.emitter.facts = facts
            self._line(indent + loops, f"if {self._truth(node.where)}:")
            start = len(self.lines)
            self._block(node.block, indent + loops + 1, conjuncts([*facts, node.where]), None, path, [])
            if len(self.lines) == start:
                self._line(indent + loops + 1, "pass")

    def _for_each_masked(self, node: ForEach, indent: int, facts: list[Expr]) -> bool:
        """`for c where φ { relation[c, x]' = … }` on packed masks, if that is what it is."""
        if len(node.binders) != 1 or len(node.block) != 1 or not isinstance(node.block[0], Assign):
            return False
        binder, assign = node.binders[0], node.block[0]
        kept = self.layout.kept[assign.var]
        if not isinstance(kept, Packed) or assign.index[kept.big] != binder:
            return False
        if sum(binder.name in locals_in(arg) for arg in assign.index) != 1 or not self._is_total(node, assign, facts):
            return False
        chosen = self._mask(node.where, binder)
        if chosen is None:
            return False
        some, shift, others = self.emitter.fresh(), self.emitter.fresh(), self.emitter.fresh()
        start = len(self.lines)
        self._line(indent, f"{some} = {chosen}")
        planes = self._value_masks(assign, assign.value, binder, kept, some, indent)
        if planes is None:
            del self.lines[start:]
            return False
        read = Get(assign.var, assign.index, assign.value.type)
        self._line(indent, f"{shift} = ({self._noting(lambda: self.emitter.offset(read, kept.big))}) * {kept.size}")
        self._watch(assign, f"{some} << {shift}", indent)
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

    def _is_total(self, node: ForEach, assign: Assign, facts: list[Expr]) -> bool:
        """May a loop be worked out for all individuals at once, without a fault where it has none in order?"""
        system = self.layout.system
        known = conjuncts([*facts, node.where])
        return (
            is_total(node.where, facts, system)
            and is_total(assign.value, known, system)
            and is_total(Get(assign.var, assign.index, assign.value.type), facts, system)
        )

    def _value_masks(
        self, node: Assign, value: Expr, binder: Local, kept: Packed, some: str, indent: int
    ) -> dict[int, str] | None:
        """For each value the mask of those among `some` that get it."""
        if isinstance(value, Lit):
            if not 0 <= value.value - kept.first < len(kept.slots):
                fault = self._fault(FaultKind.OUT_OF_BOUNDS, f"`{node.var}` would become {value.value}", node)
                self._line(indent, f"if {some}: fault({fault})")
                return {}
            return {value.value - kept.first: some}
        if not isinstance(value, Ite):
            return None
        test = self._mask(value.condition, binder)
        if test is None:
            return None
        yes, no = self.emitter.fresh(), self.emitter.fresh()
        self._line(indent, f"{yes} = {some} & {test}")
        self._line(indent, f"{no} = {some} ^ {yes}")
        first = self._value_masks(node, value.then, binder, kept, yes, indent)
        second = self._value_masks(node, value.otherwise, binder, kept, no, indent)
        if first is None or second is None:
            return None
        both = {number: f"({first[number]} | {second[number]})" for number in first.keys() & second.keys()}
        return {**first, **second, **both}
