"""Questions about deals as they are asked, and answers as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from hanabi_formal.api import Game, State
from hanabi_formal.formats.faces import deck_of, named, show_deal
from hanabi_formal.formats.step_text import action_text
from hanabi_formal.judge.certificate import Outnumbered, Reasoned, TooFew, Unsolvable
from hanabi_formal.judge.evidence import rules_hash
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import type_values
from hanabi_formal.winnability.answer import DealAnswer, LadderBudget
from hanabi_formal.winnability.argument_text import SOLVED, Teller, tell_against
from hanabi_formal.winnability.evidence_data import action_data, as_data
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
        state = State(ladder.compiled, dealt, ladder.compiled.start(dealt))
        for action, args in before:
            state = state.step(state.action(action, *args))
        answer = lower = ladder.ask(state, None, before)
        beyond: DealAnswer | None = None
        while best and lower.verdict == "unwinnable" and lower.goal > 0:
            self._known.append(f"{lower.goal} points are out of reach")
            beyond, lower = lower, ladder.ask(state, lower.goal - 1, before)
        return AnsweredDeal(name, players, tuple(faces), tuple(before), answer, lower if beyond else None, beyond)

    # ---- as data ---------------------------------------------------------------------------------
    def data(self, asked: AnsweredDeal) -> dict[str, Any]:
        """All that `certify` needs, and how it came about."""
        answer = asked.answer
        recorder = self.ladder(asked.players).writer.recorder
        found: dict[str, Any] = {
            "id": asked.id,
            "spec": self.game.name,
            "players": asked.players,
            "settings": self.game.settings.data,
            "rules": self._hash(asked.players),
            "deck": show_deal(asked.faces, self.game.system(asked.players)),
        }
        if asked.before:
            found["after"] = [action_data(recorder, action) for action in asked.before]
        found |= self._answer(answer, recorder)
        if asked.best is not None:
            found["best"] = self._answer(asked.best, recorder)
            if asked.beyond is not None and asked.beyond is not answer and not asked.never_ends:
                found["best"]["beyond"] = self._answer(asked.beyond, recorder)
        return found

    def _answer(self, answer: DealAnswer, recorder: Any) -> dict[str, Any]:
        found: dict[str, Any] = {"goal": answer.goal, "answer": answer.verdict}
        if answer.verdict == "winnable":
            found["line"] = [action_data(recorder, action) for action in answer.line]
        if answer.certificate is not None:
            found["certificate"] = as_data(answer.certificate)
        return {**found, "method": answer.method, "seconds": round(answer.seconds, 4)}

    def _hash(self, players: int | None) -> str:
        if players not in self._hashes:
            self._hashes[players] = rules_hash(self.game, players)
        return self._hashes[players]

    # ---- for people ------------------------------------------------------------------------------
    def told_line(self, asked: AnsweredDeal) -> list[str]:
        """The actions of a line, a row for each time around the table."""
        state = self._state(asked)
        rows: list[list[str]] = []
        for number, (name, args) in enumerate(asked.reached.line):
            if number % (asked.players or 8) == 0:
                rows.append([])
            action = state.action(name, *args)
            rows[-1].append(action_text(state, action))
            state = state.step(action)
        return [f"  {'; '.join(row)}" for row in rows]

    def _state(self, asked: AnsweredDeal) -> State:
        state = self.game.start(asked.players, asked.faces)
        for name, args in asked.before:
            state = state.step(state.action(name, *args))
        return state

    def explained(self, asked: AnsweredDeal) -> list[str]:
        """Why a deal cannot be won, for a player."""
        ladder = self.ladder(asked.players)
        answer = asked.reached if asked.never_ends else asked.beyond or asked.answer
        state = self._state(asked)
        if isinstance(answer.certificate, Reasoned | Outnumbered):
            assert ladder.reader is not None, "an argument speaks of positions"
            kinds = [type_values(kind) for _, kind in deck_of(ladder.system).attributes]
            names = dict(enumerate(named(product(*kinds), ladder.system)))
            position = ladder.reader.read(state)
            match answer.certificate:
                case Reasoned(argument):
                    return list(Teller(position, names).tell(argument))
                case Outnumbered(arguments):
                    return list(tell_against(position, names, answer.goal, arguments))
        if answer.certificate is None:
            return []
        if isinstance(answer.certificate, TooFew):
            return ["What is played is not replaced: no more cards can be played than are in hands."]
        if state.ended is not None:
            return ["The game is over."]
        assert isinstance(answer.certificate, Unsolvable)
        return [SOLVED[answer.certificate.kind], "No short argument is known; a solver's proof is in the evidence."]
