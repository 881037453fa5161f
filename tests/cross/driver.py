"""Seeded games in both engines at once.

    python -m tests.cross.driver --games 1000 [--spec nl+rainbow] [--players 3]

After every action are compared: the legal actions as sets, every hand, fireworks, discards and pile, tokens, turn, turns
left, what was told, the end, outcome and bands if it ended, and the score. The views, which take as long as all the rest,
are compared for one seat after every tenth action and for all seats at the end. In every twentieth game one seat's view
is compared after every action and all seats' after every tenth; on some actions, and at the end, the state is also spelt
out card by card, illegal actions are tried, and the interpreter explains a step. Short runs do all this twice as often.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random

from hanabi_formal.reference import Action, Table

from .cases import Counted
from .correspondence import Correspondence, Mismatch
from .duel import Difference, Duel
from .never import why_never
from .players import STYLES, Style, choose
from .scenes import shuffled
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
    events: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    views: int = 0
    seconds: float = 0.0

    def line(self) -> str:
        """One line for a log."""
        games = max(self.games, 1)
        ends = "  ".join(f"{name} {many}" for name, many in self.ends.items() if many)
        return (
            f"{self.setup.spec:15} {self.setup.players}  {self.games:5} games  {self.actions / games:3.0f} actions each  "
            f"{self.deep / games:4.0%} deep  {1000 * self.seconds / games:3.0f} ms  {ends}"
        )

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
    cases: bool = True  # count them, which takes the rules compiled twice


EFFORT = Effort(views=10, thorough=20)
PLAIN = Effort(cases=False)
Watch = Callable[[Table, Action, Table], Iterable[str]]


class Driver:
    """Plays games of one setup. `watch` names what is worth counting in a step."""

    def __init__(self, setup: Setup, effort: Effort = EFFORT, watch: Watch | None = None) -> None:
        self.setup = setup
        self.effort = effort
        self.watch = watch
        self.pair = Correspondence(setup)
        self.counted = Counted(self.pair.system) if effort.cases else None
        self.tally = Tally(setup)
        self.tally.cases.update(dict.fromkeys(self.counted.names, 0) if self.counted else {})
        self.tally.ends.update({end.name: 0 for end in self.pair.system.ends} | {STOPPED: 0})

    def run(self, games: int | Iterable[int]) -> Tally:
        began = time.process_time()
        for seed in range(games) if isinstance(games, int) else games:
            self.play(seed)
        self.tally.seconds += time.process_time() - began
        return self.tally

    def play(self, seed: int) -> Duel:
        """The game of this seed, the same on every machine."""
        rng = Random(f"{self.setup.seed} {seed}")
        duel = Duel(self.pair, shuffled(self.pair.rules, rng))
        style = STYLES[seed % len(STYLES)]
        if (seed + seed // len(STYLES)) % self.effort.thorough == 0:
            self._play_thoroughly(duel, rng, style)
        else:
            self._play_quickly(duel, rng, style)
        self._count(duel)
        return duel

    def _play_quickly(self, duel: Duel, rng: Random, style: Style) -> None:
        every, seats = self.effort.views, self.pair.seats
        while actions := duel.legal():
            self._act(duel, choose(duel.table, actions, rng, style))
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
            self._act(duel, action)
        duel.compare_views(range(seats))
        self.tally.views += seats
        duel.compare_slowly()
        self.tally.refused += duel.compare_refusals(rng)

    def _act(self, duel: Duel, action: Action) -> None:
        before = duel.table
        duel.act(action)
        if self.watch is not None:
            self.tally.events.update(self.watch(before, action, duel.table))

    def _count(self, duel: Duel) -> None:
        tally, table = self.tally, duel.table
        tally.games += 1
        tally.actions += len(duel.actions)
        tally.deep += table.pile_size == 0 or table.end == "perfect"
        tally.ends[table.end or STOPPED] += 1
        if self.counted is not None:
            tally.cases.update(self.counted.tell(duel.dealt, duel.codes))


def games_until_found(setup: Setup, most: int) -> int | None:
    """How many games show a difference: 0 if the engines do not even start alike, None if `most` show none."""
    try:
        driver = Driver(setup, PLAIN)
    except Mismatch:
        return 0
    for seed in range(most):
        try:
            driver.play(seed)
        except Difference:
            return seed + 1
    return None


# ---- the table for people --------------------------------------------------------------------------
def joined(tallies: list[Tally]) -> Tally:
    """Several player counts of one composition as one."""
    found = Tally(tallies[0].setup)
    for tally in tallies:
        found.games += tally.games
        found.actions += tally.actions
        found.deep += tally.deep
        found.views += tally.views
        found.seconds += tally.seconds
        found.ends.update(tally.ends)
        found.cases.update(tally.cases)
        found.refused.update(tally.refused)
    return found


def report(spec: str, tallies: list[Tally]) -> str:
    """Ends and cases of one composition, and why some never happened."""
    tally, rules = joined(tallies), tallies[0].setup.rules()
    games = max(tally.games, 1)
    seats = ", ".join(str(one.setup.players) for one in tallies)
    lines = [
        f"{spec} ({seats} players): {tally.games:,} games without a difference, {tally.actions / games:.0f} actions each, "
        f"{tally.deep / games:.0%} to an empty pile or a perfect end; {tally.views:,} views and "
        f"{sum(tally.refused.values()):,} refusals compared; {1000 * tally.seconds / games:.0f} ms a game"
    ]
    for name, many in tally.happened.items():
        why = why_never(name, rules)
        shown = f"{many:>9,}" if many or why is None else f"    never: {why}"
        lines.append(f"  {name:45} {shown}{'   MISSING' if not many and why is None else ''}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.cross.driver", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=100, help="seeded games for each specification and player count")
    parser.add_argument(
        "--spec", action="append", help="such as nl+rainbow; by default the editions and what they offer"
    )
    parser.add_argument("--players", type=int, action="append", help="by default 2 to 5")
    parser.add_argument("--ruling", action="append", default=[], metavar="NAME=VALUE")
    chosen = parser.parse_args()
    rulings = tuple((name, value) for name, _, value in (text.partition("=") for text in chosen.ruling))
    for spec in chosen.spec or PRINTED:
        setups = [Setup(spec, players, rulings) for players in chosen.players or (2, 3, 4, 5)]
        print(report(spec, [Driver(setup).run(chosen.games) for setup in setups]), flush=True)


if __name__ == "__main__":
    main()
