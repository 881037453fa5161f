"""Games that reach something, found by playing. Nothing is known of the game but its score, its ends and its actions.

Games differ in their deal and in temperament: how often a step is chosen at random instead of by its worth, which kinds
of action are liked, and whether points are sought, ignored or put off. A goal is a condition on states, or on a step
with the states before and after it; the latter are asked of the steps that were played, not of those only tried.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Generic, TypeVar

from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.trace import Instance, Trace
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState
from hanabi_formal.run.drivers import losing_distances
from hanabi_formal.run.faults import Fault

GoalKey = TypeVar("GoalKey", bound=Hashable)
"""What a goal is known by to whoever looks for it."""
GoalValue = TypeVar("GoalValue")
Goal = Callable[[Dealt, PackedState], object]
StepGoal = Callable[[Dealt, PackedState, int, PackedState], object]
Dealer = Callable[[Random], Sequence[int]]
MOST_STEPS = 400
BUDGET = 1_500_000
SLOW = 300
"""Steps that one costs which the executor leaves to the interpreter."""


class StepBudget:
    """Steps that may be tried, by one search after the other if they share it."""

    def __init__(self, compiled: Compiled, steps: int) -> None:
        self._compiled = compiled
        self._slow_before = compiled.slow_steps
        self._left = steps

    def look(self, many: int) -> None:
        """So many actions of a state are tried. To find none is not free, or a search of stuck games never stops."""
        self._left -= max(1, many)

    @property
    def left(self) -> int:
        return self._left - SLOW * (self._compiled.slow_steps - self._slow_before)

    @property
    def is_spent(self) -> bool:
        return self.left <= 0


@dataclass(frozen=True)
class Breakdown:
    """How the rules broke down, and a game that shows it; if they do before the first state there is none."""

    fault: Fault
    told: str
    trace: Trace | None


@dataclass(frozen=True)
class Exploration(Generic[GoalKey]):
    """How goals were reached, in how many games, and how the rules broke down, if they did."""

    traces: Mapping[GoalKey, Trace]
    games: int
    broken: Breakdown | None = None


@dataclass(frozen=True)
class _Temper:
    """How a game is played.

    `eager` seeks points (1), ignores them (0) or puts them off (-1); `bold` first uses up what an end that loses leaves
    to spare; `reluctant` would rather not end at all; `deep` tells equally good steps apart by playing on from each.
    """

    deviation: float
    liking: Mapping[str, float]
    eager: int
    bold: bool
    reluctant: bool
    deep: bool


def without(several: Mapping[GoalKey, GoalValue], gone: Container[GoalKey]) -> dict[GoalKey, GoalValue]:
    return {key: value for key, value in several.items() if key not in gone}


def random_deal(compiled: Compiled, random: Random) -> list[int]:
    faces = list(compiled.cards)
    random.shuffle(faces)
    return faces


def is_reached(goal: Goal, dealt: Dealt, state: PackedState) -> bool:
    """What has no meaning in a state is not reached there."""
    try:
        return bool(goal(dealt, state))
    except Fault:
        return False


def holds_at_step(
    compiled: Compiled, condition: Expr, dealt: Dealt, before: PackedState, code: int, after: PackedState
) -> bool:
    """Of a step, or of standing still after it if it ended the game; slowly."""
    interpreter, faces = compiled.interpreter, tuple(dealt[0])
    first, second = compiled.snapshot(before), compiled.snapshot(after)
    steps = [(first, second), (second, second)] if compiled.ended(after) else [(first, second)]
    return any(interpreter.evaluate(condition, interpreter.across(*s, faces)) for s in steps)


def reached_by(
    games: Sequence[tuple[Trace, Dealt, Sequence[PackedState]]],
    goals: Mapping[GoalKey, Goal],
    steps: Mapping[GoalKey, StepGoal] | None = None,
) -> dict[GoalKey, Trace]:
    """What games reach of which all states are known, as early as they do, and with as few actions as any of them."""
    found: dict[GoalKey, Trace] = {}
    for many in range(max((len(states) for _, _, states in games), default=0)):
        for trace, dealt, states in games:
            if many < len(states):
                here = [key for key, goal in without(goals, found).items() if is_reached(goal, dealt, states[many])]
                left = without(steps or {}, found) if many else {}
                here += [key for key, goal in left.items() if goal(dealt, states[many - 1], 0, states[many])]
                found |= dict.fromkeys(here, trace.until(many))
    return found


@dataclass
class _GameUnderWay(Generic[GoalKey]):
    """One game under way, with the goals that are still to be reached."""

    faces: list[int]
    goals: dict[GoalKey, Goal]
    steps: dict[GoalKey, StepGoal]
    temper: _Temper
    path: list[Instance] = field(default_factory=list)
    found: dict[GoalKey, Trace] = field(default_factory=dict)

    def trace(self, last: Instance | None = None) -> Trace:
        return Trace(tuple(self.faces), (*self.path, *([last] if last else ())))


class Explorer:
    """`budget` is the number of steps that may be tried in all; a search that has spent it stops."""

    def __init__(self, compiled: Compiled, seed: int = 7, budget: int = BUDGET) -> None:
        self.compiled = compiled
        self.budget = StepBudget(compiled, budget)
        self._random = Random(seed)
        self._broken: Breakdown | None = None
        self._distances = losing_distances(compiled)
        self._outcomes = [end.outcome for end in compiled.system.ends]

    def explore(
        self,
        goals: Mapping[GoalKey, Goal],
        games: int,
        steps: Mapping[GoalKey, StepGoal] | None = None,
        dealer: Dealer | None = None,
        faults: bool = False,
    ) -> Exploration[GoalKey]:
        """Play until every goal was reached or the games are used up; after a while every fifth game deeply.

        Cards are dealt by the dealer if there is one, else at random. A fault of the rules may be a goal too.
        """
        steps = steps or {}
        traces: dict[GoalKey, Trace] = {}
        played = 0
        while played < games and not self.budget.is_spent:
            if len(traces) == len(goals) + len(steps) and not (faults and self._broken is None):
                break
            played += 1
            faces = list(dealer(self._random)) if dealer is not None else random_deal(self.compiled, self._random)
            temper = self._temper(deep=played > 100 and played % 5 == 0)
            game = _GameUnderWay(faces, without(goals, traces), without(steps, traces), temper)
            self._play(game)
            traces |= game.found
        return Exploration(traces, played, self._broken)

    def games(self, many: int) -> Iterator[Trace]:
        """Whole games, as the search plays them; one in which the rules break down stops there."""
        for _ in range(many):
            faces = random_deal(self.compiled, self._random)
            game: _GameUnderWay[str] = _GameUnderWay(faces, {}, {}, self._temper(deep=False))
            self._play(game)
            yield game.trace()

    def _temper(self, deep: bool) -> _Temper:
        uniform = self._random.random
        names = [action.name for action in self.compiled.system.actions]
        liking = {name: (0.05, 1.0, 1.0, 20.0)[int(uniform() * 4)] for name in names}
        bold, reluctant = uniform() < 0.4, uniform() < 0.4
        if deep:
            return _Temper(0.0, liking, 1, bold, reluctant, True)
        deviation, eager = (0.0, 0.02, 0.1, 0.3, 1.0)[int(uniform() * 5)], (1, 1, 0, -1)[int(uniform() * 4)]
        return _Temper(deviation, liking, eager, bold, reluctant, False)

    def _play(self, game: _GameUnderWay[GoalKey]) -> None:
        compiled = self.compiled
        dealt = compiled.deal(game.faces)
        try:
            state = compiled.start(dealt)
        except Fault as fault:
            self._broken = Breakdown(fault, f"{fault}, with the deal {' '.join(map(str, game.faces))}", None)
            return
        try:
            self._look(game, dealt, state, None)
            for _ in range(MOST_STEPS):
                codes = compiled.legal(dealt, state)
                if not codes or self.budget.is_spent:
                    break
                code = self._choose(game, dealt, state, codes)
                instance = compiled.decode(state, code)
                before, state = state, compiled.step(dealt, state, code)
                game.path.append(instance)
                self._look(game, dealt, state, None)
                if game.steps:
                    self._look_at_step(game, dealt, before, code, state)
        except Fault as fault:
            self._note_fault(game, fault)

    def _note_fault(self, game: _GameUnderWay[GoalKey], fault: Fault) -> None:
        """The game up to the state in which some legal action has no meaning; the shortest is kept."""
        known = None if self._broken is None else self._broken.trace
        if self._broken is None or (known is not None and len(game.path) < len(known.actions)):
            self._broken = Breakdown(fault, str(fault), game.trace())

    def _look(
        self, game: _GameUnderWay[GoalKey], dealt: Dealt, state: PackedState, tried: tuple[PackedState, int] | None
    ) -> None:
        """Was a goal reached, by the steps played or by one more that is only tried?"""
        for key in [key for key, goal in game.goals.items() if is_reached(goal, dealt, state)]:
            game.found[key] = game.trace(self.compiled.decode(*tried) if tried else None)
            del game.goals[key]

    def _look_at_step(
        self, game: _GameUnderWay[GoalKey], dealt: Dealt, before: PackedState, code: int, after: PackedState
    ) -> None:
        for key in [key for key, goal in game.steps.items() if goal(dealt, before, code, after)]:
            game.found[key] = game.trace()
            del game.steps[key]

    def _choose(self, game: _GameUnderWay[GoalKey], dealt: Dealt, state: PackedState, codes: Sequence[int]) -> int:
        compiled, temper = self.compiled, game.temper
        if self._random.random() < temper.deviation:
            return codes[int(self._random.random() * len(codes))]
        self.budget.look(len(codes))
        best: tuple[int, int, int] | None = None
        among: list[tuple[int, PackedState]] = []
        for code in codes:
            after = compiled.step(dealt, state, code)
            if game.goals:
                self._look(game, dealt, after, (state, code))
            worth = self._worth(dealt, after, temper)
            if best is None or worth > best:
                best, among = worth, []
            if worth == best:
                among.append((code, after))
        if temper.deep and len(among) > 1:
            among = self._deepest(dealt, among, temper)
        weights = [temper.liking[compiled.decode(state, code).name] for code, _ in among]
        return self._random.choices([code for code, _ in among], weights)[0]

    def _deepest(
        self, dealt: Dealt, among: list[tuple[int, PackedState]], temper: _Temper
    ) -> list[tuple[int, PackedState]]:
        """Those of equally good steps from which a quick game goes furthest."""
        reached = [(self._play_on(dealt, after, temper), code, after) for code, after in among]
        best = max(worth for worth, _, _ in reached)
        return [(code, after) for worth, code, after in reached if worth == best]

    def _play_on(self, dealt: Dealt, state: PackedState, temper: _Temper) -> tuple[int, int, int]:
        compiled = self.compiled
        for _ in range(MOST_STEPS):
            codes = compiled.legal(dealt, state)
            if not codes or self.budget.is_spent:
                break
            self.budget.look(len(codes))
            following = [compiled.step(dealt, state, code) for code in codes]
            state = max(following, key=lambda after: self._worth(dealt, after, temper))
        return self._worth(dealt, state, temper)

    def _worth(self, dealt: Dealt, state: PackedState, temper: _Temper) -> tuple[int, int, int]:
        end = self.compiled.ended(state)
        rank = {"won": -1 if temper.reluctant else 1, "over": 0, "lost": -2}[self._outcomes[end - 1]] if end else 0
        points = temper.eager * self.compiled.score(dealt, state) if temper.eager else 0
        spare = sum(abs(state[cell] - goal) for cell, goal in self._distances)
        if temper.bold and spare > len(self._distances):
            return rank, -spare, points
        return rank, points, spare
