"""Statements to Python. A block happens at once: it reads the state before it, whatever it wrote so far."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace

from hanabi_formal.kernel.build import TRUE, negate
from hanabi_formal.kernel.expr import Expr, Ite, Lit, Local, locals_in
from hanabi_formal.kernel.system import Assign, Block, Case, ForEach
from hanabi_formal.run.compiler import code as py
from hanabi_formal.run.compiler.assignments import AssignmentEmitter, Lines, StepOf
from hanabi_formal.run.compiler.bounds import conjuncts, is_total
from hanabi_formal.run.compiler.code import PyExpr, PyName
from hanabi_formal.run.compiler.emit import Emitter
from hanabi_formal.run.compiler.layout import END, Packed
from hanabi_formal.run.compiler.writes import is_written_once, meeting
from hanabi_formal.run.faults import Fault, FaultKind

RARELY = PyName("z")
Path = tuple[int, ...]


@dataclass(frozen=True)
class EndTest:
    """An end's condition, and the slots it reads. `nests`: it may be asked just where they are written."""

    test: PyExpr
    number: int
    reads: frozenset[PyName]
    nests: bool


@dataclass(frozen=True)
class Part:
    """A block and the ends after it: `ends` are asked in its last statement, unless some of them are asked inside."""

    lines: Lines
    ends: py.Branching | None
    some_inside: bool

    def followed_by(self, lines: Lines) -> Lines:
        """With what is done if no end has come."""
        if self.ends is not None and not self.some_inside:
            return [*self.lines, replace(self.ends, otherwise=lines)]
        if self.some_inside and lines:
            lines = [py.branch(py.negation(END), *lines)]
        return [*self.lines, *([self.ends] if self.ends else []), *lines]


class BlockEmitter(AssignmentEmitter):
    """Emits one part of an action, with the ends after it. `rare` are slots written only where `RARELY` is set."""

    def __init__(self, emitter: Emitter, faults: list[Fault], step: StepOf) -> None:
        super().__init__(emitter, faults, step)
        self.rare: set[PyName] = set()
        self._is_trial = False
        self._written_at: dict[Path, set[PyName]] = {}

    def part(self, block: Block, facts: list[Expr], ends: Callable[[set[PyName]], list[EndTest]]) -> Part:
        """A block and the ends after it.

        Emitted twice: the first time only to see what is written where, and which slots must be kept aside.
        """
        self._several = meeting(block)
        trial = type(self)(self.emitter, list(self.faults), self.step)
        trial._is_trial = True
        trial._several = self._several
        self.emitter.facts = conjuncts(facts)
        trial._block(block, (), [])
        self._aside = trial._writes.clashes
        self._written_at = trial._written_at
        lines: Lines = [py.Store(slot.aside, self.emitter.slot(slot)) for slot in sorted(self._aside)]
        lines += [py.Store(self._seen(var), 0) for var in sorted(self._several)]
        tests = [self._if_rare(test, trial.written) for test in ends(trial.written | trial.rare)]
        if trial.rare:
            lines.append(py.Store(RARELY, 0))
        inside, rest = self._block(block, (), tests)
        lines += [*inside, *(py.Store(slot, slot.aside) for slot in sorted(self._aside))]
        some_inside = len(rest) < len(tests)
        return Part(lines, self._ends(rest, some_inside), some_inside)

    def _if_rare(self, end: EndTest, written: set[PyName]) -> EndTest:
        """A test of what hardly ever changes, to be asked only if it did."""
        if not end.nests or end.reads & written:
            return end
        return EndTest(py.infix("and", RARELY, end.test), end.number, end.reads, nests=False)

    def _ends(self, tests: list[EndTest], others: bool = True) -> py.Branching | None:
        """Of all ends that come together the first one counts."""

        def asked(end: EndTest) -> PyExpr:
            # `others` may have come before, inside the block.
            earlier = py.infix("<=", 1, END, end.number - 1)
            return py.infix("and", end.test, py.negation(earlier)) if others else end.test

        return py.Branching(tuple((asked(end), (py.Store(END, end.number),)) for end in tests)) if tests else None

    # ---- statements ----------------------------------------------------------------------------
    def _block(self, block: Block, path: Path, tests: list[EndTest]) -> tuple[Lines, list[EndTest]]:
        """The block at `path`; also those of the tests that are left to be asked after it."""
        inside = {end.number: self._where_to_ask(end, block, path) for end in tests}
        lines: Lines = []
        for place, statement in enumerate(block):
            here = (*path, place)
            before, self.written = self.written, set()
            match statement:
                case Assign():
                    lines += self._assign(statement)
                case Case():
                    lines += self._case(statement, here, [end for end in tests if inside[end.number] == place])
                case ForEach():
                    lines += self._for_each(statement, here)
            self._note_written(here, before)
        return lines, [end for end in tests if inside[end.number] is None]

    def _note_written(self, path: Path, before: set[PyName]) -> None:
        self._written_at[path] = self._written_at.get(path, set()) | self.written
        self.written |= before

    def _where_to_ask(self, end: EndTest, block: Block, path: Path) -> int | None:
        """The one case of a block in some branches of which all is written that the test reads."""
        writing = [i for i in range(len(block)) if self._written_at[*path, i] & end.reads]
        if not end.nests or len(writing) != 1 or end.reads & self._aside:
            return None
        case = block[writing[0]]
        if not isinstance(case, Case):
            return None
        taken = [self._written_at.get((*path, writing[0], i), set()) & end.reads for i in range(len(case.branches))]
        return None if all(taken) and case.branches[-1].condition == TRUE else writing[0]

    def _case(self, node: Case, path: Path, tests: list[EndTest]) -> Lines:
        branches: list[tuple[PyExpr, Lines]] = []
        with ExitStack() as known:
            for place, branch in enumerate(node.branches):
                here = (*path, place)
                test = True if branch.condition == TRUE else self._truth(branch.condition)
                before, self.written = self.written, set()
                with self.emitter.knowing(branch.condition):
                    lines, rest = self._block(
                        branch.block, here, [end for end in tests if self._written_at[here] & end.reads]
                    )
                ends = self._ends(rest)
                branches.append((test, [*lines, ends] if ends else lines))
                self._note_written(here, before)
                if test is True:
                    break
                known.enter_context(self.emitter.knowing(negate(branch.condition)))
        otherwise = branches.pop()[1] if branches[-1][0] is True else []
        return [py.Branching(tuple(branches), otherwise)] if branches else otherwise

    # ---- loops ---------------------------------------------------------------------------------
    def _for_each(self, node: ForEach, path: Path) -> Lines:
        masked = self._for_each_masked(node)
        if masked is not None:
            return masked
        names = [(self.emitter.bind(binder), py.values_of(binder.type)) for binder in node.binders]
        before, self.position = self.position, None
        # On trial the body is gone through twice: what it writes the first time round it may read the second.
        for _ in range(2 if self._is_trial else 1):
            test = self._truth(node.where)
            with self.emitter.knowing(node.where):
                inside, _ = self._block(node.block, path, [])
        self.position = before
        found: py.PyStatement = py.branch(test, *inside)
        for name, values in reversed(names):
            found = py.ForIn(name, values, [found])
        return [found]

    def _for_each_masked(self, node: ForEach) -> Lines | None:
        """`for c where φ { relation[c, x]' = … }` on packed masks, if that is what it is."""
        if len(node.binders) != 1 or len(node.block) != 1 or not isinstance(node.block[0], Assign):
            return None
        binder, assign = node.binders[0], node.block[0]
        kept = self.layout.kept[assign.var]
        if not isinstance(kept, Packed) or assign.index[kept.big] != binder:
            return None
        if sum(binder.name in locals_in(arg) for arg in assign.index) != 1 or not self._is_total(node, assign):
            return None
        chosen = self._mask(node.where, binder)
        if chosen is None:
            return None
        some, lines = self._named(chosen)
        planes = self._value_masks(assign, binder, kept, some, lines)
        if planes is None:
            return None
        shift, more = self._named(self._noting(lambda: self.emitter.shift(self._read(assign), kept)))
        lines += [*more, *self._watch(assign, py.infix("<<", some, shift))]
        if is_written_once(self.layout.system, assign.var):
            for value, mask in sorted(planes.items()):
                if value:
                    lines.append(py.InPlaceStore(self._target(kept.slots[value]), "|", py.infix("<<", mask, shift)))
            return lines
        others, more = self._named(py.Prefix("~", py.infix("<<", some, shift)))
        lines += more
        for value in range(1, len(kept.slots)):
            slot = self._target(kept.slots[value])
            added = [py.infix("<<", planes[value], shift)] if value in planes else []
            lines.append(py.Store(slot, py.infix("|", py.infix("&", slot, others), *added)))
        return lines

    def _is_total(self, node: ForEach, assign: Assign) -> bool:
        """May a loop be worked out for all individuals at once, without a fault where it has none in order?"""
        system, facts = self.layout.system, self.emitter.facts
        return (
            is_total(node.where, facts, system)
            and is_total(assign.value, conjuncts([*facts, node.where]), system)
            and is_total(self._read(assign), facts, system)
        )

    def _value_masks(
        self, node: Assign, binder: Local, kept: Packed, some: PyName, lines: Lines
    ) -> dict[int, PyExpr] | None:
        """For each value the mask of those among `some` that get it; `lines` are added to."""
        value = node.value
        if isinstance(value, Lit):
            if not 0 <= value.value - kept.first < len(kept.slots):
                message = f"`{node.var}` would become {value.value}"
                lines.append(py.branch(some, self._fault(FaultKind.OUT_OF_BOUNDS, message, node)))
                return {}
            return {value.value - kept.first: some}
        if not isinstance(value, Ite):
            return None
        test = self._mask(value.condition, binder)
        if test is None:
            return None
        yes, more = self._named(py.infix("&", some, test))
        no, rest = self._named(py.infix("^", some, yes))
        lines += [*more, *rest]
        first = self._value_masks(replace(node, value=value.then), binder, kept, yes, lines)
        second = self._value_masks(replace(node, value=value.otherwise), binder, kept, no, lines)
        if first is None or second is None:
            return None
        both = {number: py.infix("|", first[number], second[number]) for number in first.keys() & second.keys()}
        return {**first, **second, **both}
