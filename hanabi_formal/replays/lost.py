"""From which turn on could a game no longer be won, and which action lost it?

Whether a state can still be won is asked of somebody else. Along one game the answers are first yes, then no: what can
be won after an action could be won before it. So the middle is asked first, and so on. What stays undecided is told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hanabi_formal.api import Game, State
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.replays.outcome import Replayed, Turn
from hanabi_formal.winnability.answer import LadderBudget
from hanabi_formal.winnability.ladder import Ladder

# Many states are asked about, so each has less than a question by itself would have.
BUDGET = LadderBudget(wider=(300,), conflicts=20_000, general_conflicts=10_000)
IsWinnable = Callable[[State, Sequence[Instance]], bool | None]


@dataclass(frozen=True)
class Lost:
    """`by` is the action after which the game could not be won, if one is known.

    After `winnable` actions it still could, after `lost` it could not; None where nothing was shown. `undecided` are
    the numbers of actions after which the question was left open.
    """

    winnable: int | None
    lost: int | None
    by: Turn | None
    undecided: tuple[int, ...]

    @property
    def from_the_start(self) -> bool:
        return self.lost == 0

    def __str__(self) -> str:
        if self.lost is None:
            if self.undecided:
                return f"undecided; it could be won after action {self.winnable}" if self.winnable else "undecided"
            return "never: it could be won to the end"
        if self.from_the_start:
            return "from the start: this deal cannot be won"
        if self.by is not None:
            return f"by action {self.lost}: until then it could be won"
        known = self.winnable is not None
        since = f"it could be won after action {self.winnable}" if known else "nothing before is known"
        return f"after action {self.lost} at the latest; {since}, and {len(self.undecided)} turns are undecided"


class Losses:
    """The turn that lost a game, by the solver of `winnable`; it is prepared once for a game and number of players."""

    def __init__(self) -> None:
        self._ladders: dict[tuple[int, int | None], tuple[Game, Ladder]] = {}

    def find(self, replayed: Replayed) -> Lost:
        key = id(replayed.game), replayed.players
        if key not in self._ladders:
            self._ladders[key] = replayed.game, Ladder(replayed.game, replayed.players, budget=BUDGET)
        _, ladder = self._ladders[key]

        def is_winnable(state: State, before: Sequence[Instance]) -> bool | None:
            # The state once more, by these very rules: a game that was played on has others at its end.
            state = replayed.game.start(replayed.players, replayed.faces).play(before)
            answer = ladder.ask(state, None, before).verdict
            return None if answer == "undecided" else answer == "winnable"

        on = replayed.played_on
        if on is not None:
            turns = replayed.turns[: on.after]
            replayed = replace(replayed, turns=turns, last=turns[-1].told.after if turns else replayed.first)
        return find_loss(replayed, ladder.maximum, is_winnable)


def find_loss(replayed: Replayed, maximum: int, is_winnable: IsWinnable) -> Lost:
    """`maximum` is what a won game scores. States that the rules' own figures show to be lost are not asked about."""
    states = [replayed.first, *(turn.told.after for turn in replayed.turns)]
    figures = [replayed.first_figures, *(turn.figures for turn in replayed.turns)]
    won, lost = -1, len(states)
    if states[-1].ended is not None:
        won, lost = (len(states) - 1, lost) if states[-1].score >= maximum else (won, len(states) - 1)
    for number, figure in enumerate(figures):
        if number < lost and figure.reachable_max is not None and figure.reachable_max < maximum:
            lost = number
    undecided: set[int] = set()
    while open_ := [number for number in range(won + 1, lost) if number not in undecided]:
        middle = open_[len(open_) // 2]
        answer = is_winnable(states[middle], replayed.actions[:middle])
        if answer is None:
            undecided.add(middle)
        elif answer:
            won = middle
        else:
            lost = middle
    left = tuple(sorted(number for number in undecided if won < number < lost))
    found = lost if lost < len(states) else None
    by = replayed.turns[lost - 1] if found and won == lost - 1 else None
    return Lost(won if won >= 0 else None, found, by, left)
