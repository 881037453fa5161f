"""Games of one deal played side by side: after each step the most promising go on, by a given estimate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from hanabi_formal.kernel.trace import Instance, Trace
from hanabi_formal.prove.search.budget import StepBudget
from hanabi_formal.prove.search.explorer import StepGoal
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState
from hanabi_formal.run.faults import Fault, IllegalAction

BEAM_WIDTH = 12
MOST_OVERDRAWN = 60_000
"""As many steps as all games of a deal usually take. Rules under which games never end take more."""
MOST_STEPS = 1000
StepPath = tuple[Any, Instance] | None
Estimate = Callable[[Dealt, PackedState], int]


@dataclass(frozen=True)
class BeamGames:
    """The game that went on longest, and one whose last step reached the goal, if one did."""

    longest: Trace
    reaching: Trace | None


class Beam:
    """`budget` is the number of steps that may be tried; a deal that was begun may take some more."""

    def __init__(self, compiled: Compiled, budget: int, seed: int = 7, most_steps: int = MOST_STEPS) -> None:
        self.compiled = compiled
        self.budget = StepBudget(compiled, budget)
        self.most_steps = most_steps
        self.random = Random(seed)
        deck = compiled.system.deck
        self._cards = [face for face, many in enumerate(deck.copies) for _ in range(many)] if deck else []

    def deal(self) -> list[int]:
        faces = list(self._cards)
        self.random.shuffle(faces)
        return faces

    def play(self, estimate: Estimate, goal: StepGoal | None = None, begun: Trace | None = None) -> BeamGames | None:
        """Games of a new deal, or ways to go on with one that was begun, until all have ended or one reached the goal.

        None if the rules broke down.
        """
        faces = tuple(begun.faces if begun else self.deal())
        try:
            deal = _BeamDeal(self, self.compiled.deal(faces), estimate, goal)
            for step in begun.actions if begun else ():
                deal.follow(step)
            deal.play()
        except (Fault, IllegalAction):
            return None
        reaching = Trace(faces, _steps(deal.reaching)) if deal.reaching is not None else None
        return BeamGames(Trace(faces, _steps(deal.longest)), reaching)


class _BeamDeal:
    """All games of one deal. `front` are the states that go on, each with the steps that led there."""

    def __init__(self, beam: Beam, dealt: Dealt, estimate: Estimate, goal: StepGoal | None) -> None:
        self.beam = beam
        self.compiled = beam.compiled
        self.dealt = dealt
        self.estimate = estimate
        self.goal = goal
        self.front: dict[PackedState, StepPath] = {self.compiled.start(dealt): None}
        self.longest: StepPath = None
        self.reaching: StepPath = None

    def follow(self, step: Instance) -> None:
        """Take one known step."""
        ((state, path),) = self.front.items()
        code = self.compiled.encode(self.dealt, state, step)
        if code is None:
            raise IllegalAction(f"`{step[0]}` is not legal there")
        self.front = {self.compiled.step(self.dealt, state, code): (path, step)}

    def play(self) -> None:
        for _ in range(self.beam.most_steps):
            if self.beam.budget.left < -MOST_OVERDRAWN:
                return
            self.longest = next(iter(self.front.values()))
            over = self._advance()
            if self.reaching is not None:
                return
            if not self.front:
                self.longest = over or self.longest
                return

    def _advance(self) -> StepPath:
        """One step everywhere. What is returned is a game that ended by it, if one did."""
        compiled, dealt, uniform = self.compiled, self.dealt, self.beam.random.random
        following: dict[PackedState, tuple[int, float, PackedState, int]] = {}
        over: StepPath = None
        for state, path in self.front.items():
            codes = compiled.legal(dealt, state)
            self.beam.budget.look(len(codes))
            for code in codes:
                after = compiled.step(dealt, state, code)
                if self.goal is not None and self.goal(dealt, state, code, after):
                    self.reaching = (path, self._step(state, code))
                    return None
                if not compiled.ended(after):
                    if after not in following:
                        following[after] = (self.estimate(dealt, after), uniform(), state, code)
                elif over is None:
                    over = (path, self._step(state, code))
        chosen = sorted(following.items(), key=lambda item: item[1][:2], reverse=True)[:BEAM_WIDTH]
        self.front = {after: (self.front[state], self._step(state, code)) for after, (_, _, state, code) in chosen}
        return over

    def _step(self, state: PackedState, code: int) -> Instance:
        return self.compiled.decode(state, code)


def _steps(path: StepPath) -> tuple[Instance, ...]:
    found = []
    while path is not None:
        path, step = path
        found.append(step)
    return tuple(reversed(found))
