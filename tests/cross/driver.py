"""Seeded games in both engines at once.

    python -m tests.cross.driver --games 1000 [--spec nl+rainbow] [--players 3]

After every action are compared: the legal actions as sets, every hand, fireworks, discards and pile, tokens, turn, turns
left, what was told, the end, outcome and bands if it ended, and the score. The views, which take as long as all the rest,
are compared for one seat after every fifth action and for all seats at the end. In every tenth game (`thorough`) one
seat's view is compared after every action and all seats' after every fifth; on some actions, and at the end, the state is
also spelt out card by card, illegal actions are tried, and the interpreter explains a step.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from hanabi_formal import reference as ref

from .cases import Counted
from .correspondence import Correspondence
from .duel import Duel
from .never import why_never
from .players import STYLES, Style, choose
from .setups import PRINTED, Setup

STOPPED = "(nobody can act)"


@dataclass
class Tally:
    """What happened in many games."""

    setup: Setup
    games: int = 0
    actions: int = 0
    deep: int = 0  # games that came to an empty pile or a perfect end
    ends: Counter[str] = field(default_factory=Counter)
    cases: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    views: int = 0
    seconds: float = 0.0


    @property
    def happened(self) -> dict[str, int]:
        """Every end and case with how often it occurred."""
        return {f"end {name}": many for name, many in self.ends.items()} | self.cases

    def missing(self) -> list[str]:
        """What can happen under these rules and never did."""
        rules = self.setup.rules()
        return [name for name, many in self.happened.items() if not many and why_never(name, rules) is None]

    def impossible(self) -> list[str]:
        """What happened though there is a reason why it cannot."""
        rules = self.setup.rules()
        return [name for name, many in self.happened.items() if many and why_never(name, rules) is not None]


@dataclass(frozen=True)
class Effort:
    """How much is compared: on every nth action, or in every nth game."""

    views: int = 5  # one seat's view, or all seats' in a thorough game
    thorough: int = 10
    refusals: int = 20  # in a thorough game: illegal actions, and the slow comparison
    explained: int = 40  # in a thorough game: by the interpreter


class Driver:
    """Plays games of one setup."""

    def __init__(self, setup: Setup, effort: Effort = Effort()) -> None:  # noqa: B008
        self.setup = setup
        self.effort = effort
        self.pair = Correspondence(setup)
        self.counted = Counted(self.pair.system)
        self.tally = Tally(setup)
        self.tally.cases.update({name: 0 for name in self.counted.names})
        self.tally.ends.update({end.name: 0 for end in self.pair.system.ends} | {STOPPED: 0})

    def run(self, games: int | Iterable[int]) -> Tally:
        began = time.process_time()
        for seed in range(games) if isinstance(games, int) else games:
            self.play(seed)
        self.tally.seconds += time.process_time() - began
        return self.tally

    def play(self, seed: int) -> Duel:
        """The game of this seed, the same on every machine."""
        rng = Random(f"{self.setup} {seed}")
        duel = Duel(self.pair, ref.shuffled(self.pair.rules, rng))
        style = STYLES[seed % len(STYLES)]
        thorough = seed // len(STYLES) % self.effort.thorough == 0
        if thorough:
            self._play_thoroughly(duel, rng, style)
        else:
            self._play_quickly(duel, rng, style)
        self._count(duel)
        return duel

    def _play_quickly(self, duel: Duel, rng: Random, style: Style) -> None:
        every, seats = self.effort.views, self.pair.seats
        while actions := duel.legal():
            duel.act(choose(duel.table, actions, rng, style))
            if len(duel.actions) % every == 0:
                duel.compare_views([len(duel.actions) // every % seats])
                self.tally.views += 1
        duel.compare_views(range(seats))
        self.tally.views += seats

    def _play_thoroughly(self, duel: Duel, rng: Random, style: Style) -> None:
        effort, seats = self.effort, self.pair.seats
        while actions := duel.legal():
            number = len(duel.actions)
            watching = range(seats) if number % effort.views == 0 else [number % seats]
            duel.compare_views(watching)
            self.tally.views += len(watching)
            if number % effort.refusals == 0:
                duel.compare_slowly()
                self.tally.refused += duel.compare_refusals(rng)
            action = choose(duel.table, actions, rng, style)
            if number % effort.explained == effort.explained // 2:
                duel.explain(action)
            duel.act(action)
        duel.compare_views(range(seats))
        self.tally.views += seats
        duel.compare_slowly()
        self.tally.refused += duel.compare_refusals(rng)

    def _count(self, duel: Duel) -> None:
        tally, table = self.tally, duel.table
        tally.games += 1
        tally.actions += len(duel.actions)
        tally.deep += table.pile_size == 0 or table.end == "perfect"
        tally.ends[table.end or STOPPED] += 1
        tally.cases.update(self.counted.tell(duel.dealt, duel.codes))
