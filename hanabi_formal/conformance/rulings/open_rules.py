"""The rules with their rulings left open: games of one kind under every combination of rulings, by one executor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from hanabi_formal.api import Game
from hanabi_formal.conformance.difference import differing
from hanabi_formal.conformance.menu import Menu
from hanabi_formal.conformance.messages import Reply, Seen, Setup
from hanabi_formal.elaborate.left_open import LeftOpen, left_open
from hanabi_formal.kernel.build import disj
from hanabi_formal.kernel.depends import restrict
from hanabi_formal.kernel.expr import Get
from hanabi_formal.kernel.system import System
from hanabi_formal.run.compiler.compile import Dealt, PackedState
from hanabi_formal.run.compiler.layout import Scalar

RulingChoice = tuple[int, ...]
"""The number of a value for every ruling, in the order of `Questions.names`."""


@dataclass(frozen=True)
class Questions:
    """The rulings that are asked for, with their values."""

    rulings: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.rulings)

    def choice(self, chosen: dict[str, str]) -> RulingChoice:
        return tuple(values.index(chosen[name]) for name, values in self.rulings)

    def chosen(self, choice: RulingChoice) -> dict[str, str]:
        return {name: values[number] for (name, values), number in zip(self.rulings, choice, strict=True)}

    def neighbours(self, choice: RulingChoice) -> list[RulingChoice]:
        """With one question decided otherwise."""
        return [
            (*choice[:at], number, *choice[at + 1 :])
            for at, (_, values) in enumerate(self.rulings)
            for number in range(len(values))
            if number != choice[at]
        ]


class OpenGame(Game):
    """A game that is all combinations of rulings at once; which one is in its states."""

    def opened(self, players: int | None) -> LeftOpen:
        count = self._count(players)
        chosen = self.settings if count is None else self.settings.with_params(players=count)
        return left_open(self.merged, chosen)

    def system(self, players: int | None = None) -> System:
        """Without what nothing depends on: records, and rulings that make no difference to this game."""
        count = self._count(players)
        if count not in self._systems:
            found = self.opened(count)
            rulings = {name for name, _ in found.rulings}
            shown = [Get(v.name, (), v.type) for v in found.system.variables if not v.index and v.name not in rulings]
            self._systems[count] = restrict(found.system, shown)
        return self._systems[count]


@dataclass(frozen=True)
class HeardGame:
    """A game as an implementation played it: what it said to the deal, and to each move; and whether it failed then."""

    faces: tuple[int, ...]
    moves: tuple[int, ...]
    answers: tuple[Reply, ...]
    failed: bool = False


class OpenRules:
    """One kind of game. `setup` is what an implementation is told of it."""

    def __init__(self, game: Game, players: int, knows: frozenset[str], questions: Questions) -> None:
        self.menu = Menu(OpenGame(game.merged, game.settings), players, knows)
        self.compiled = self.menu.compiled
        self.setup: Setup = replace(self.menu.setup, rulings=dict(game.system(players).rulings))
        kept, layout = self.compiled.layout.kept, self.compiled.layout
        self._cells: list[tuple[int, int]] = []
        for number, name in enumerate(questions.names):
            scalar = kept.get(name)
            if isinstance(scalar, Scalar):
                self._cells.append((layout.where(scalar.slot)[0], number))
        self._unlisted = frozenset(n for n, move in enumerate(self.menu.moves) if move.slot is not None)

    @cached_property
    def depends(self) -> frozenset[int]:
        """The numbers of the rulings that games of this kind depend on at all."""
        return frozenset(number for _, number in self._cells)

    def relevant(self, choice: RulingChoice) -> RulingChoice:
        """The same for all choices between which games of this kind make no difference."""
        depends = self.depends
        return tuple(value if number in depends else 0 for number, value in enumerate(choice))

    @cached_property
    def _ended(self) -> Callable[[Dealt, PackedState], object]:
        return self.compiled.predicate(disj(*(end.condition for end in self.compiled.system.ends)))

    def start(self, dealt: Dealt, choice: RulingChoice) -> PackedState:
        state = (*self.under(self.compiled.start(dealt), choice)[:-1], 0)
        return (*state[:-1], self._end(dealt, state)) if self._ended(dealt, state) else state

    def under(self, state: PackedState, choice: RulingChoice) -> PackedState:
        """The same position, under other rulings from now on."""
        cells = list(state)
        for cell, number in self._cells:
            cells[cell] = choice[number]
        return tuple(cells)

    def _end(self, dealt: Dealt, state: PackedState) -> int:
        interpreter = self.compiled.interpreter
        scene = interpreter.scene(self.compiled.snapshot(state), tuple(dealt[0]))
        ends = enumerate(self.compiled.system.ends, 1)
        return next(number for number, end in ends if interpreter.evaluate(end.condition, scene))

    def legal(self, dealt: Dealt, state: PackedState) -> frozenset[int]:
        return frozenset(self.menu.legal(dealt, state))

    def legal_differs(self, dealt: Dealt, one: PackedState, other: PackedState) -> frozenset[int]:
        """The moves that are legal in only one of two states."""
        if self.compiled.legal(dealt, one) == self.compiled.legal(dealt, other):
            return frozenset()
        return self.legal(dealt, one) ^ self.legal(dealt, other)

    def is_same(self, dealt: Dealt, one: PackedState, other: PackedState) -> bool:
        """Do two states differ in nothing but rulings, and not in the score either?"""
        cells = list(other)
        for cell, _ in self._cells:
            cells[cell] = one[cell]
        return tuple(cells) == one and self.compiled.score(dealt, one) == self.compiled.score(dealt, other)

    def seen(self, dealt: Dealt, names: Sequence[str], state: PackedState) -> Seen:
        return self.menu.seen(dealt, names, state)

    def lasts(self, choice: RulingChoice, record: HeardGame, dealt: Dealt, names: Sequence[str]) -> int:
        """How many answers of an implementation are those of these rulings, until one is not."""
        state = self.start(dealt, choice)
        if not record.answers or not self._says(dealt, names, state, record.answers[0]):
            return 0
        for at, (move, answer) in enumerate(zip(record.moves, record.answers[1:], strict=True), 1):
            is_legal = move in self.menu.legal(dealt, state)
            if is_legal != (answer.refused is None):
                return at
            if is_legal:
                state = self.menu.step(dealt, state, move)
            if not self._says(dealt, names, state, answer):
                return at
        return len(record.answers)

    def _says(self, dealt: Dealt, names: Sequence[str], state: PackedState, answer: Reply) -> bool:
        if answer.legal is not None:
            legal = self.legal(dealt, state)
            if legal != answer.legal:
                strange = legal ^ answer.legal
                # Slots without a card may be listed.
                if self.compiled.ended(state) or any(
                    n not in self._unlisted or n in legal or self.menu.instance(state, n) is not None for n in strange
                ):
                    return False
        ours = self.menu.seen(dealt, names, state)
        return ours == answer.seen or not differing(ours, answer.seen)
