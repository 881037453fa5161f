"""Games for many goals at once: those of an earlier search first, then new ones, then games of other rules.

What few games reach is looked for by itself, by playing towards its condition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import islice

from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.prove.induction.needed_lemmas import NeededLemmas
from hanabi_formal.prove.length.measures import RankingWeights
from hanabi_formal.prove.obligation import Obligation
from hanabi_formal.prove.search.directed import game_towards
from hanabi_formal.prove.search.explorer import Breakdown, Exploration, Explorer, Goal, StepGoal, reached_by, without
from hanabi_formal.prove.search.replayed import longest_games, played, replay
from hanabi_formal.prove.search.shorten import followed
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.run.faults import Fault, IllegalAction

STEPS_A_GAME = 5000
EASILY = 40
"""What so many games do not show is played towards."""


class Purpose(Enum):
    """What a game that reaches a goal does for an obligation."""

    SHOW = auto()
    REFUTE = auto()
    ALLOW = auto()
    FORBID = auto()


@dataclass(frozen=True)
class Target:
    """What a goal of a search is for; `score` tells those apart that are about one score each."""

    purpose: Purpose
    obligation: Obligation
    score: int | None = None


def shows(obligation: Obligation) -> Target:
    return Target(Purpose.SHOW, obligation)


@dataclass(frozen=True)
class Memory:
    """What an earlier check of the same rules found; none of it is believed unseen.

    `needs` says which lemmas each question needs; `others` gives games of other rules, for goals that no game of ours
    reaches.
    """

    games: Mapping[Obligation, Trace]
    weights: RankingWeights | None = None
    needs: NeededLemmas | None = None
    others: Callable[[], Iterable[Trace]] = tuple


NOTHING = Memory({})


@dataclass(frozen=True)
class GoalSearch:
    """`games` is how many may be played, with so many steps tried for each."""

    compiled: Compiled
    games: int
    memory: Memory

    def explored(
        self,
        goals: Mapping[Target, Goal],
        steps: Mapping[Target, StepGoal],
        conditions: Mapping[Target, Expr],
        faults: bool = False,
    ) -> Exploration[Target]:
        """How goals are reached; every game is replayed. Some goals may be given as conditions too.

        If faults of the rules are looked for too, games are played until one shows.
        """
        remembered = self._remembered(goals)
        kept = {target: self.memory.games.get(target.obligation) for target in steps}
        remembered |= {t: trace for t, trace in kept.items() if trace is not None and self._last_step(trace, steps[t])}
        goals, steps = without(goals, remembered), without(steps, remembered)
        found = self._explored(goals, steps, conditions, faults)
        traces = dict(found.traces)
        traces |= self._borrowed(without(goals, traces))
        traces |= self._on_good_deals(without(goals, traces), [*remembered.values(), *traces.values()])
        broken = found.broken
        for target, trace in list(traces.items()):
            breakdown = self._breaks_down(trace)
            if breakdown is not None:
                broken = broken or breakdown
                del traces[target]
        return replace(found, traces={**remembered, **traces}, broken=broken)

    def _breaks_down(self, trace: Trace) -> Breakdown | None:
        """Every game is replayed by both readings. What is revealed has a meaning only for the slower one."""
        found: Fault | None = None
        for many in range(len(trace.actions), -1, -1):
            so_far = trace.until(many)
            try:
                replay(self.compiled, so_far)
            except Fault as fault:
                found = fault
            else:
                return Breakdown(found, str(found), so_far) if found else None
        return Breakdown(found, str(found), trace) if found else None

    def _explored(
        self,
        goals: Mapping[Target, Goal],
        steps: Mapping[Target, StepGoal],
        conditions: Mapping[Target, Expr],
        faults: bool,
    ) -> Exploration[Target]:
        """What most games come to by themselves, then what must be played towards, then the rest."""
        explorer = self._explorer()
        easy = explorer.explore(goals, min(self.games, EASILY), steps, faults=faults)
        traces = dict(easy.traces)
        for target in without(goals, easy.traces) if self.games else ():
            trace = game_towards(self.compiled, conditions[target]) if target in conditions else None
            if trace is not None:
                traces[target] = trace
        rest = explorer.explore(without(goals, traces), self.games - easy.games, without(steps, traces), faults=faults)
        return replace(rest, traces={**traces, **rest.traces}, games=easy.games + rest.games)

    def _remembered(self, goals: Mapping[Target, Goal]) -> dict[Target, Trace]:
        """What games of an earlier search reach."""
        games = []
        for trace in longest_games(self.memory.games.values()):
            with suppress(IllegalAction, Fault):
                game = played(self.compiled, trace)
                games.append((trace, game.dealt, game.states))
        return reached_by(games, goals)

    def _borrowed(self, goals: Mapping[Target, Goal]) -> dict[Target, Trace]:
        """What games of other rules reach under these. An illegal action is replaced by the most similar legal one."""
        reached: dict[Target, Trace] = {}
        for trace in self.memory.others() if goals else ():
            for so_far, dealt, state in islice(followed(self.compiled, trace), 1, None):
                reached |= {t: so_far for t, goal in without(goals, reached).items() if goal(dealt, state)}
            if len(reached) == len(goals):
                break
        return reached

    def _on_good_deals(self, goals: Mapping[Target, Goal], traces: list[Trace]) -> Mapping[Target, Trace]:
        """Deals that were good for the most points are tried again, played in other ways."""
        points: dict[tuple[int, ...], int] = {}
        for trace in dict.fromkeys(traces) if goals else ():
            points[trace.faces] = max(points.get(trace.faces, 0), self.compiled.score(*replay(self.compiled, trace)))
        good = [faces for faces, many in points.items() if many == max(points.values())]
        if not good:
            return {}
        return self._explorer().explore(goals, self.games, dealer=lambda random: random.choice(good)).traces

    def _last_step(self, trace: Trace, goal: StepGoal) -> bool:
        """Does the last step of a game show it?"""
        if not trace.actions:
            return False
        try:
            game = played(self.compiled, trace)
        except IllegalAction:
            return False
        return bool(goal(game.dealt, game.states[-2], 0, game.states[-1]))

    def _explorer(self) -> Explorer:
        return Explorer(self.compiled, budget=self.games * STEPS_A_GAME)
