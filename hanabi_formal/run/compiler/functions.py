"""The functions of a compiled game, but for those about actions: deal, start, ends, score and view."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import prod
from typing import Any

from hanabi_formal.kernel.build import FALSE, TRUE
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.types import type_size
from hanabi_formal.run.compiler import code as py
from hanabi_formal.run.compiler.action_variants import Variant
from hanabi_formal.run.compiler.assignments import Lines
from hanabi_formal.run.compiler.blocks import EndTest
from hanabi_formal.run.compiler.code import PyExpr, PyName
from hanabi_formal.run.compiler.emit import Emitter
from hanabi_formal.run.compiler.layout import END, Layout, Options
from hanabi_formal.run.compiler.lookup_tables import Tables
from hanabi_formal.run.faults import Fault

BYTES = 256
DEALT, STATE, FACES = PyName("D"), PyName("s"), PyName("F")
ENDED = py.subscript(STATE, -1)


@dataclass
class Codes:
    """Numbers for actions. Each action with its unrolled parameters has a run of numbers, for what is left of it."""

    base: dict[int, int] = field(default_factory=dict)
    width: dict[int, int] = field(default_factory=dict)
    total: int = 0

    def reserve(self, variant: Variant) -> None:
        if variant.number in self.base:
            return
        params = (*variant.free, *([variant.domain.param] if variant.domain else []))
        width = prod(type_size(param.type) for param in params)
        self.base[variant.number] = self.total
        self.width[variant.number] = width
        self.total += width


class Functions:
    """What is made for a system so far: its functions' frames and faults."""

    def __init__(self, system: System, layout: Layout, tables: Tables, codes: Codes) -> None:
        self.system = system
        self.layout = layout
        self.tables = tables
        self.codes = codes
        self.faults: list[Fault] = []
        self._end_tests: dict[int, tuple[PyExpr, Emitter]] = {}

    def emitter(self) -> Emitter:
        return Emitter(self.layout, self.tables)

    # ---- frames --------------------------------------------------------------------------------
    def taken(self, slot: PyName) -> PyExpr:
        """What a slot of the state holds."""
        cell, place = self.layout.where(slot)
        return py.subscript(STATE, cell) if place is None else py.subscript(STATE, cell, place)

    def function(self, name: PyName, emitter: Emitter, body: Iterable[py.PyStatement], *more: PyName) -> py.FunctionDef:
        """A function that first takes the dealt tables and the slots it needs."""
        slots = [py.Store(slot, self.taken(slot)) for slot in sorted(emitter.reads)]
        return py.FunctionDef(name, (DEALT, STATE, *more), [*dealt_tables(emitter), *slots, *body])

    def reading(self, emitter: Emitter, body: Lines) -> Lines:
        """A body with what it needs from the deal and the state: first, or in its place if it is needed only once."""
        times = py.uses(body)
        once = {slot: self.taken(slot) for slot in emitter.reads if times[slot] == 1}
        first = [py.Store(slot, self.taken(slot)) for slot in sorted(emitter.reads - set(once))]
        return [*dealt_tables(emitter), *first, *py.replaced(body, lambda name: once.get(name, name))]

    def stepping(self, name: PyName, emitter: Emitter, body: Lines, written: set[PyName]) -> py.FunctionDef:
        """A function that takes the state apart, as far as it must, and puts the next one together."""
        touched = emitter.reads | written
        cells, before, after = [], list[py.PyStatement](), []
        for number, cell in enumerate(self.layout.cells):
            whole = cell if isinstance(cell, PyName) else PyName("g", number)
            cells.append(whole)
            if isinstance(cell, tuple) and touched & set(cell):
                before.append(py.Store(py.Display(cell), whole))
            after.append(py.Display(cell) if isinstance(cell, tuple) and written & set(cell) else whole)
        return py.FunctionDef(
            name,
            (DEALT, STATE, PyName("k")),
            [*dealt_tables(emitter), py.Store(py.display(cells), STATE), *before, *body, py.gives(py.display(after))],
        )

    def deal(self) -> py.FunctionDef:
        """From the faces in order of the cards to the dealt tables."""
        lines: Lines = []
        deck = self.tables.deck
        names: dict[frozenset[int], PyName] = {}
        for rows in self.tables.dealt:
            for row in rows:
                if row not in names:
                    mask = self._row(row, names, [other for other in rows if other != row])
                    names[row] = PyName("r", len(names))
                    lines.append(py.Store(names[row], mask))
        if deck is not None and names:
            reverse = py.Store(PyName("B"), py.Slicing(py.apply("bytes", FACES), step=-1))
            numbers = py.Store(PyName("Z"), py.apply("tuple", py.apply("enumerate", FACES)))
            lines.insert(0, reverse if len(deck.faces) <= BYTES else numbers)
        tables = [py.display(names[row] for row in rows) for rows in self.tables.dealt]
        return py.FunctionDef(PyName("deal"), (FACES,), [*lines, py.gives(py.display([FACES, *tables]))])

    def _row(self, row: frozenset[int], known: dict[frozenset[int], PyName], others: list[frozenset[int]]) -> PyExpr:
        """The mask of the cards whose faces are in the row.

        With a digit for each card, 1 if it is in the row, the deck reversed is the mask as a binary number. That is
        faster than a loop over the cards, and leaving out what is left over by other rows is faster still.
        """
        deck = self.tables.deck
        assert deck is not None
        if not row:
            return 0
        together = len(row) + sum(map(len, others))
        if together == len(deck.faces) == len(row.union(*others)) and all(other in known for other in others):
            return py.infix("^", (1 << deck.sort.size) - 1, *(known[other] for other in others))
        if len(deck.faces) > BYTES:
            card, face = PyName("i"), PyName("f")
            test = py.infix("in", face, self.tables.constant("B", row))
            loops = ((py.display([card, face]), PyName("Z")),)
            return py.apply("sum", py.Comprehension(py.infix("<<", 1, card), loops, test, is_list=True))
        digits = bytes(b"01"[face in row] for face in range(BYTES))
        return py.apply("int", py.method(PyName("B"), "translate", self.tables.constant("B", digits)), 2)

    # ---- ends and scores -----------------------------------------------------------------------
    def ends(self, emitter: Emitter, late: bool, now: set[PyName], since: set[PyName]) -> list[EndTest]:
        """The ends that can have come true, given the slots written now and since the last look."""
        found = []
        for number, end in enumerate(self.system.ends, 1):
            if (end.late and not late) or end.condition == FALSE:
                continue
            test, needs = self._end_test(number)
            if not needs.reads or needs.reads & ((now | since) if end.late else now):
                nests = bool(needs.reads) and END not in needs.reads and not (end.late and needs.reads & since)
                found.append(EndTest(test, number, frozenset(needs.reads), nests))
                emitter.reads |= needs.reads
                emitter.dealt |= needs.dealt
        return found

    def _end_test(self, number: int) -> tuple[PyExpr, Emitter]:
        """An end's condition, the same in every function, with what knows the slots and dealt tables it needs."""
        if number not in self._end_tests:
            emitter = self.emitter()
            self._end_tests[number] = (emitter.truth(self.system.ends[number - 1].condition), emitter)
        return self._end_tests[number]

    def score(self) -> py.FunctionDef:
        emitter = self.emitter()
        lines: Lines = [
            py.branch(py.infix("==", ENDED, number), py.gives(emitter.value(end.score)))
            for number, end in enumerate(self.system.ends, 1)
            if end.score != self.system.score
        ]
        lines.append(py.gives(emitter.value(self.system.score)))
        return self.function(PyName("score"), emitter, lines)

    def condition(self, name: py.MadeFunction, expr: Expr) -> py.FunctionDef:
        emitter = self.emitter()
        return self.function(PyName(name), emitter, [py.gives(emitter.truth(expr))])

    def view(self) -> py.FunctionDef:
        """All facts a seat sees, as (number of the fact, values of its bound names, value)."""
        view = self.system.view
        emitter, seat, found = self.emitter(), PyName("p"), PyName("found")
        if view is None:
            return self.function(PyName("view"), emitter, [py.gives(py.Display(()))], seat)
        emitter.names[view.seat.name] = seat
        lines: Lines = [py.Store(found, py.Display((), is_list=True))]
        number = 0
        for sight in view.sights:
            names = [emitter.bind(binder) for binder in sight.binders]
            test = emitter.truth(sight.where)
            told: Lines = []
            for fact in sight.facts:
                seen = py.display([number, py.display(names), emitter.value(fact)])
                told.append(py.does(py.method(found, "append", seen)))
                number += 1
            if sight.where != TRUE:
                told = [py.branch(test, *told)]
            for name, binder in zip(reversed(names), reversed(sight.binders), strict=True):
                told = [py.ForIn(name, py.values_of(binder.type), told)]
            lines += told
        return self.function(PyName("view"), emitter, [*lines, py.gives(py.apply("tuple", found))], seat)

    # ---- start ---------------------------------------------------------------------------------
    def start(self, initial: dict[PyName, Any]) -> py.FunctionDef:
        """The first state, where it does not depend on the deal: constants, but for the options of the members."""
        values: dict[PyName, PyExpr] = {
            slot: py.Display(value) if isinstance(value, tuple) else value for slot, value in initial.items()
        }
        for kept, value, options in self.layout.all_options():
            values[options.slot] = looked_up(options, FACES, initial[kept.members[value]])
        emitter = self.emitter()
        every = set(self.layout.slots)
        ends = tuple((end.number, end.test) for end in self.ends(emitter, True, every, every))
        lines: Lines = [py.Store(FACES, py.subscript(DEALT, 0)), *dealt_tables(emitter)]
        lines += [py.Store(slot, values[slot]) for slot in sorted(emitter.reads)]
        values[END] = py.Ternary(ends, 0) if ends else 0
        cells = [
            values[cell] if isinstance(cell, PyName) else py.display(values[slot] for slot in cell)
            for cell in self.layout.cells
        ]
        return py.FunctionDef(PyName("start"), (DEALT,), [*lines, py.gives(py.display(cells))])


def looked_up(options: Options, faces: PyName, members: Iterable[PyExpr]) -> PyExpr:
    """The options that these members have."""
    masks = (py.subscript(options.of_face, py.subscript(faces, member)) for member in members)
    return py.subscript(options.lists, py.infix("|", *masks))


def dealt_tables(emitter: Emitter) -> Lines:
    """Names for the dealt tables that were asked for."""
    return [py.Store(PyName("D", number), py.subscript(DEALT, number)) for number in sorted(emitter.dealt)]
