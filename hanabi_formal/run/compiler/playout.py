"""A whole game at random as one function: the state in local names, every turn in place, no state made on the way."""

from __future__ import annotations

from collections.abc import Sequence

from hanabi_formal.run.compiler import code as py
from hanabi_formal.run.compiler.action_variants import Variant
from hanabi_formal.run.compiler.assignments import Lines, Move, cases
from hanabi_formal.run.compiler.blocks import RARELY, BlockEmitter
from hanabi_formal.run.compiler.choices import CHOSEN, Choices, halving
from hanabi_formal.run.compiler.code import PyExpr, PyName
from hanabi_formal.run.compiler.emit import Emitter
from hanabi_formal.run.compiler.functions import DEALT, ENDED, STATE, Functions, dealt_tables
from hanabi_formal.run.compiler.layout import END, Planes
from hanabi_formal.run.compiler.steps import ACTION, Steps, option_lines

MOST_STEPS = 1_000_000
NONE, UNIFORM, MOST, NOTE = PyName("None"), PyName("u"), PyName("most"), PyName("note")


class InPlace(BlockEmitter):
    """Members are lists here, which are changed instead of being made anew; and there is no state to go back to, so
    that whoever comes from an unusual place is looked for in all places."""

    def _leave_somewhere(self, move: Move) -> Lines:
        planes = self._noting(lambda: [self.emitter.slot(slot) for slot in move.kept.slots])
        leaving = [self._leave(move, 0), *(self._leave_rarely(move, value) for value in range(1, len(planes)))]
        return cases([py.infix("&", plane, move.bit) for plane in planes], leaving)

    def _leave_rarely(self, move: Move, value: int) -> Lines:
        """So rare that other steps must not pay for it: options and ends are looked at only if it happens."""
        known, written = (move.var, value) in self.dirty, set(self.written)
        lines: Lines = [py.Store(RARELY, 1), *self._leave(move, value)]
        if not known and (move.var, value) in self.dirty:
            self.dirty.discard((move.var, value))
            lines += option_lines(move.kept, value, self.emitter)
        self.rare |= self.written - written
        self.written = written
        return lines

    def _taking_out(self, members: PyName, card: PyName, position: PyExpr | None) -> py.PyStatement:
        if position is None:
            return py.does(py.method(members, "remove", card))
        return py.Simple("del", py.subscript(members, position))

    def _putting_in(self, members: PyName, card: PyName, is_last: PyExpr) -> py.PyStatement:
        return py.does(py.ternary(py.method(members, "append", card), is_last, py.apply("insort", members, card)))


class Playouts:
    """Made of the same pieces as `pick` and the steps. `usual` says how many members values mostly have."""

    def __init__(
        self, functions: Functions, choices: Choices, variants: list[Variant], usual: dict[PyName, int]
    ) -> None:
        self.functions = functions
        self.choices = choices
        self.steps = Steps(functions, InPlace)
        self.numbers = {(variant.number, variant.actor): place for place, variant in enumerate(variants)}
        self.usual = usual

    def playout(self, turn: PyName | None, groups: dict[int, list[Variant]]) -> py.FunctionDef:
        """The function. `turn` is the slot that says whose turn it is, `groups` are the variants of each actor."""
        emitter = self.functions.emitter()
        turns = {actor: self._turn(variants, emitter) for actor, variants in groups.items()}
        taken, made = self._state()
        one_turn = self._by_number(turn, list(groups), turns, max(groups) + 1)
        loop = py.ForIn(PyName("q"), py.apply("repeat", NONE, MOST), [*one_turn, py.branch(END, py.Simple("break"))])
        return py.FunctionDef(
            PyName("playout"),
            (DEALT, STATE, UNIFORM, py.Store(MOST, MOST_STEPS), py.Store(NOTE, NONE)),
            [py.branch(ENDED, py.gives(STATE)), *dealt_tables(emitter), *taken, loop, py.gives(made)],
        )

    def _state(self) -> tuple[Lines, PyExpr]:
        """What takes the state apart, and the state put together."""
        layout = self.functions.layout
        members = {slot for kept in layout.kept.values() if isinstance(kept, Planes) for slot in kept.members.values()}
        cells: list[PyExpr] = []
        made: list[PyExpr] = []
        taken: Lines = []
        for number, cell in enumerate(layout.cells):
            if isinstance(cell, PyName):
                cells.append(cell)
                made.append(cell)
            else:
                cells.append(PyName("g", number))
                taken.append(py.Store(py.Display(cell), cells[-1]))
                made.append(py.display(py.apply("tuple", slot) if slot in members else slot for slot in cell))
        lists = [py.Store(slot, py.apply("list", slot)) for slot in sorted(members)]
        return [py.Store(py.display(cells), STATE), *taken, *lists], py.display(made)

    def _turn(self, variants: list[Variant], emitter: Emitter) -> Lines:
        """Count what is legal, choose, step. `e0`, `e1` and so on are where the numbers of each fragment end."""
        found = self.choices.fragments(variants, emitter)
        lines: Lines = []
        names: list[PyName] = []
        ends: list[PyName] = []
        for test, fragments in [(None, found.always), *found.sometimes]:
            before = ends[-1] if ends else 0
            new: Lines = []
            for fragment in fragments:
                # What a slot holds needs no other name.
                if not isinstance(fragment, PyName):
                    new.append(py.Store(PyName("p", len(names)), fragment))
                names.append(fragment if isinstance(fragment, PyName) else PyName("p", len(names)))
                length = py.apply("len", names[-1])
                new.append(py.Store(PyName("e", len(ends)), py.infix("+", ends[-1], length) if ends else length))
                ends.append(PyName("e", len(ends)))
            if test is not None:
                none = ends[-len(fragments) :]
                new = [py.Branching(((test, new),), [py.Store(none[0], before, tuple(none[1:]))])]
            lines += new
        if not names:
            return [py.Simple("break")]
        lines.append(py.branch(py.negation(ends[-1]), py.Simple("break")))
        lines.append(py.Store(CHOSEN, py.apply("floor", py.infix("*", py.Apply(UNIFORM, ()), ends[-1]))))
        starts = [CHOSEN, *(py.infix("-", CHOSEN, end) for end in ends[:-1])]
        taking: list[Lines] = [
            [py.Store(ACTION, py.subscript(name, start))] for name, start in zip(names, starts, strict=True)
        ]
        lines += cases([py.infix("<", CHOSEN, end) for end in ends], taking)
        lines.append(py.branch(NOTE, py.does(py.Apply(NOTE, (ACTION,)))))
        bodies = {self.functions.codes.base[variant.number]: self._step(variant, emitter) for variant in variants}
        return [*lines, *self._by_number(ACTION, sorted(bodies), bodies, self.functions.codes.total)]

    def _step(self, variant: Variant, emitter: Emitter) -> Lines:
        """The variant's step whose number is in `k`."""
        base = self.functions.codes.base[variant.number]
        body, _ = self.steps.body(self.numbers[variant.number, variant.actor], variant, emitter, self.usual)
        return [py.InPlaceStore(ACTION, "-", base), *body] if base else body

    def _by_number(self, value: PyName | None, starts: Sequence[int], bodies: dict[int, Lines], most: int) -> Lines:
        """What belongs to the last of the starts that is not above a number.

        Python is slow to compare where what may be jumped over is long; to look up the answer is several times faster.
        """

        def below(bound: int) -> PyExpr:
            assert value is not None
            return py.subscript(self.functions.tables.constant("Q", tuple(i < bound for i in range(most))), value)

        return halving(below, starts, bodies)
