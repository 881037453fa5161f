"""The law that ties the compiled executor to the interpreter, state by state; used by several tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import pytest

from hanabi_formal.api import Game, State, load
from hanabi_formal.formats.deals import shuffled
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import type_size, type_values
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.run.faults import Fault, IllegalAction
from hanabi_formal.run.interpret import Snapshot, Step

Choose = Callable[[int], int]
T = TypeVar("T")


def write_game(folder: Path, text: str) -> Game:
    """A game from its text."""
    path = folder / "game.hrl"
    path.write_text(text, encoding="utf-8")
    return load(str(path))


def by_chance(seed: int) -> Choose:
    return Random(seed).randrange


def deal_of(compiled: Compiled, seed: int) -> tuple[int, ...]:
    return shuffled(compiled.system, seed) if compiled.system.deck else ()


@dataclass
class Table:
    """One game played by both executors at once. Every method fails if they differ in anything that can be asked."""

    compiled: Compiled
    faces: tuple[int, ...]
    choose: Choose
    views: bool = True
    faults: int = field(init=False, default=0)
    dealt: tuple[Any, ...] = field(init=False)
    state: tuple[Any, ...] = field(init=False)
    snapshot: Snapshot = field(init=False)

    def __post_init__(self) -> None:
        self.dealt = self.compiled.deal(list(self.faces))
        self.state = self.compiled.start(self.dealt)
        self.snapshot = self.compiled.interpreter.start(self.faces)

    # ---- one state -------------------------------------------------------------------------------
    def agree(self) -> list[int] | None:
        """Everything about the state; gives the numbers of the legal actions, or None if that is a fault."""
        compiled, state, dealt = self.compiled, self.state, self.dealt
        self._same_state()
        same(lambda: compiled.score(dealt, state), lambda: compiled.interpreter.score(self.snapshot, self.faces))
        same(lambda: compiled.bands(dealt, state), self._bands)
        for seat in self._seats():
            self._same_view(seat)
        return self._legal()

    def _same_state(self) -> None:
        assert self.compiled.snapshot(self.state) == self.snapshot
        again = self.compiled.pack(self.snapshot, self.dealt)
        assert again == self.state
        assert hash(again) == hash(self.state)
        assert is_plain(self.state)
        assert self.compiled.ended(self.state) == self.snapshot.end

    def _same_view(self, seat: int) -> None:
        same(
            lambda: State(self.compiled, self.dealt, self.state).view(seat),
            lambda: self.compiled.interpreter.view(self.snapshot, self.faces, seat),
        )

    def _legal(self) -> list[int] | None:
        compiled, state, dealt = self.compiled, self.state, self.dealt
        codes = attempt(lambda: list(compiled.legal(dealt, state)))
        expected = attempt(lambda: compiled.interpreter.legal(self.snapshot, self.faces))
        if isinstance(codes, Fault) or isinstance(expected, Fault):
            assert isinstance(codes, Fault), expected
            assert isinstance(expected, Fault), codes
            self.faults += 1
            return None
        assert Counter(compiled.decode(state, code) for code in codes) == Counter(one for one in expected)
        if not self.snapshot.end:
            many = len(codes)
            assert Counter(compiled.pick(dealt, state, (i + 0.5) / many) for i in range(many)) == Counter(codes)
        return codes

    def _bands(self) -> tuple[str, ...]:
        bands, interpreter = self.compiled.system.bands, self.compiled.interpreter
        if bands is None or not self.snapshot.end:
            return ()
        if not interpreter.evaluate(bands.condition, interpreter.scene(self.snapshot, self.faces)):
            return ()
        score = interpreter.score(self.snapshot, self.faces)
        return tuple(band.text for band in bands.bands if band.low <= score <= band.high)

    def _seats(self) -> Sequence[int]:
        view = self.compiled.system.view
        return type_values(view.seat.type) if view and self.views else ()

    # ---- what is refused -------------------------------------------------------------------------
    def refuses(self, codes: Sequence[int]) -> None:
        """Any one action that is not legal is refused with the guard and the clauses behind it."""
        compiled, interpreter = self.compiled, self.compiled.interpreter
        system = compiled.system
        action = system.actions[self.choose(len(system.actions))]
        args = tuple(type_values(p.type)[self.choose(type_size(p.type))] for p in action.params)
        if Instance(action.name, args) in {compiled.decode(self.state, code) for code in codes}:
            return
        assert compiled.encode(self.dealt, self.state, Instance(action.name, args)) is None
        with pytest.raises(IllegalAction) as refused:
            State(compiled, self.dealt, self.state).step(Instance(action.name, args))
        message = str(refused.value)
        if self.snapshot.end:
            assert system.ends[self.snapshot.end - 1].name in message
            return
        guard = interpreter.failing_guard(self.snapshot, self.faces, action, args)
        assert guard is not None
        assert guard.label is None or f"`{guard.label}`" in message
        assert all(f"@{clause}" in message for clause in guard.clauses)

    # ---- steps -----------------------------------------------------------------------------------
    def step(self, code: int) -> bool:
        """The same step on both sides; False if the rules have no meaning there, which both must say."""
        compiled = self.compiled
        before = self.state
        instance = compiled.decode(before, code)
        assert compiled.encode(self.dealt, before, instance) == code
        ours = attempt(lambda: compiled.step(self.dealt, before, code))
        theirs: Step | Fault = attempt(lambda: compiled.interpreter.step(self.snapshot, self.faces, instance))
        if isinstance(ours, Fault) or isinstance(theirs, Fault):
            assert isinstance(ours, Fault), f"{instance}: {theirs!r}"
            assert isinstance(theirs, Fault), f"{instance}: {ours!r}"
            assert ours.span == theirs.span, f"{instance}: {ours}, {theirs}"
            self.faults += 1
            return False
        self.state, self.snapshot = ours, theirs.after
        self._same_state()
        return True

    # ---- whole games -----------------------------------------------------------------------------
    def same_playout(self, seed: int, most: int) -> list[int]:
        """A playout from here is the game that `pick` and `step` give for the same random numbers; its actions."""
        compiled, dealt = self.compiled, self.dealt
        stepped: list[int] = []
        noted: list[int] = []

        def by_steps() -> tuple[Any, ...]:
            state, uniform = self.state, Random(seed).random
            while len(stepped) < most and compiled.legal(dealt, state):
                stepped.append(compiled.pick(dealt, state, uniform()))
                state = compiled.step(dealt, state, stepped[-1])
            return state

        theirs = attempt(by_steps)
        ours = attempt(lambda: compiled.playout(dealt, self.state, Random(seed).random, most, noted.append))
        if isinstance(ours, Fault) or isinstance(theirs, Fault):
            assert isinstance(ours, Fault), theirs
            assert isinstance(theirs, Fault), ours
            assert ours.span == theirs.span
        else:
            assert ours == theirs
            assert is_plain(ours)
        assert noted == stepped
        return noted

    def one_playout_each(self) -> None:
        """Of random numbers evenly apart, each leads a playout to another legal action: all are equally likely."""
        codes = self.compiled.legal(self.dealt, self.state)
        chosen: list[int] = []
        for number in range(len(codes)):
            at = [(number + 0.5) / len(codes)]
            after = self.compiled.playout(self.dealt, self.state, at.pop, 1, chosen.append)
            assert after == self.compiled.step(self.dealt, self.state, chosen[-1])
        assert Counter(chosen) == Counter(codes)

    def play(self, most: int = 1000) -> list[Instance]:
        """A game to its end, to a place without legal actions, to a fault, or to `most` actions."""
        self.same_playout(most, most)
        done: list[Instance] = []
        while (codes := self.agree()) is not None:
            self.refuses(codes)
            if not codes or len(done) >= most:
                break
            code = codes[self.choose(len(codes))]
            done.append(self.compiled.decode(self.state, code))
            if not self.step(code):
                break
        return done

    def explore(self, most: int = 2000) -> int:
        """All states within reach, breadth first, up to `most` steps; the number of steps tried."""
        queue = [(self.state, self.snapshot)]
        seen = {self.state}
        tried = 0
        while queue and tried < most:
            self.state, self.snapshot = here = queue.pop(0)
            for code in self.agree() or ():
                self.state, self.snapshot = here
                tried += 1
                if self.step(code) and self.state not in seen:
                    seen.add(self.state)
                    queue.append((self.state, self.snapshot))
        return tried


def attempt(work: Callable[[], T]) -> T | Fault:
    try:
        return work()
    except Fault as fault:
        return fault


def same(ours: Callable[[], T], theirs: Callable[[], T]) -> None:
    """Equal answers, or no meaning on both sides."""
    left, right = attempt(ours), attempt(theirs)
    assert left == right or (isinstance(left, Fault) and isinstance(right, Fault)), (left, right)


def is_plain(state: object) -> bool:
    """Made of numbers and tuples alone, so that nobody can change it."""
    if isinstance(state, tuple):
        return all(map(is_plain, state))
    return type(state) is int


def all_instances(compiled: Compiled) -> list[Instance]:
    return [
        Instance(action.name, args)
        for action in compiled.system.actions
        for args in product(*(type_values(param.type) for param in action.params))
    ]
