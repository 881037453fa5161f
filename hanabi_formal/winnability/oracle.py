"""Questions about deals as they are asked, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hanabi_formal.api import Game, State
from hanabi_formal.judge.evidence import rules_hash
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.winnability.answer import DealAnswer, LadderBudget
from hanabi_formal.winnability.ladder import Ladder, LadderEngine


@dataclass(frozen=True)
class AnsweredDeal:
    """A deal, or a position that `before` led to, with what is to be said of it.

    `answer` is about the maximum. If that is out of reach and the best score was asked for, `best` is about that, and
    `beyond` about one point more.
    """

    id: str | int | None
    players: int | None
    faces: tuple[int, ...]
    before: tuple[Instance, ...]
    answer: DealAnswer
    best: DealAnswer | None = None
    beyond: DealAnswer | None = None

    @property
    def reached(self) -> DealAnswer:
        """What is said of the most points that may be had."""
        return self.best or self.answer

    @property
    def answers(self) -> list[DealAnswer]:
        """All that are told, each once."""
        beyond = self.beyond if self.beyond is not self.answer else None
        return [answer for answer in (self.answer, beyond, self.best) if answer is not None]

    @property
    def never_ends(self) -> bool:
        """Not even no points can be had: no game ends."""
        return self.reached.verdict == "unwinnable" and self.reached.goal == 0


class Oracle:
    """Answers about one game; for each player count it prepares once."""

    def __init__(self, game: Game, engine: LadderEngine = "ladder", budget: LadderBudget | None = None) -> None:
        self.game = game
        self.engine = engine
        self.budget = budget
        self._ladders: dict[int | None, Ladder] = {}
        self._hashes: dict[int | None, str] = {}
        self._known: list[str] = []
        self._asked: Ladder | None = None

    def so_far(self) -> list[str]:
        """What is known of the question that is being asked."""
        return [*self._known, *(self._asked.tried if self._asked is not None else ())]

    def ladder(self, players: int | None) -> Ladder:
        if players not in self._ladders:
            self._ladders[players] = Ladder(self.game, players, self.engine, self.budget)
        return self._ladders[players]

    def rules_hash(self, players: int | None) -> str:
        if players not in self._hashes:
            self._hashes[players] = rules_hash(self.game, players)
        return self._hashes[players]

    def of(self, game: Game) -> Oracle:
        """The same for other rules."""
        return Oracle(game, self.engine, self.budget)

    def ask(
        self,
        players: int | None,
        faces: Sequence[int],
        before: Sequence[Instance] = (),
        best: bool = False,
        name: str | int | None = None,
    ) -> AnsweredDeal:
        self._known = []
        ladder = self._asked = self.ladder(players)
        dealt = ladder.compiled.deal(list(faces))
        state = State(ladder.compiled, dealt, ladder.compiled.start(dealt)).play(before)
        answer = lower = ladder.ask(state, None, before)
        beyond: DealAnswer | None = None
        while best and lower.verdict == "unwinnable" and lower.goal > 0:
            self._known.append(f"{lower.goal} points are out of reach")
            beyond, lower = lower, ladder.ask(state, lower.goal - 1, before)
        return AnsweredDeal(name, players, tuple(faces), tuple(before), answer, lower if beyond else None, beyond)
