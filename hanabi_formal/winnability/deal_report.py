"""What is said of a deal: its verdict, line and reason for people, and the same with its evidence as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hanabi_formal.api import State
from hanabi_formal.formats.faces import all_face_names, show_deal
from hanabi_formal.formats.step_text import action_text
from hanabi_formal.judge.certificate import Outnumbered, Reasoned, TooFew, Unsolvable
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.winnability.answer import DealAnswer
from hanabi_formal.winnability.argument_text import SOLVED, Teller, tell_against
from hanabi_formal.winnability.evidence_data import action_data, as_data
from hanabi_formal.winnability.oracle import AnsweredDeal, Oracle


@dataclass(frozen=True)
class DealReport:
    """Of one deal; with `explain`, why it cannot be won is told in full, with `method`, what was tried."""

    oracle: Oracle
    deal: AnsweredDeal
    explain: bool = False
    method: bool = False

    # ---- as data ---------------------------------------------------------------------------------
    def data(self) -> dict[str, Any]:
        found = self.evidence()
        if self.explain:
            found["explanation"] = self.explanation()
        if self.method:
            found["tried"] = {str(answer.goal): list(answer.tried) for answer in self.deal.answers}
        return found

    def evidence(self) -> dict[str, Any]:
        """All that `certify` needs, and how it came about."""
        deal, game = self.deal, self.oracle.game
        found: dict[str, Any] = {
            "id": deal.id,
            "spec": game.name,
            "players": deal.players,
            "settings": game.settings.data,
            "rules": self.oracle.rules_hash(deal.players),
            "deck": show_deal(deal.faces, game.system(deal.players)),
        }
        if deal.before:
            found["after"] = self._actions(deal.before)
        found |= self._answer(deal.answer)
        if deal.best is not None:
            found["best"] = self._answer(deal.best)
            if deal.beyond is not None and deal.beyond is not deal.answer and not deal.never_ends:
                found["best"]["beyond"] = self._answer(deal.beyond)
        return found

    def _answer(self, answer: DealAnswer) -> dict[str, Any]:
        found: dict[str, Any] = {"goal": answer.goal, "answer": answer.verdict}
        if answer.verdict == "winnable":
            found["line"] = self._actions(answer.line)
        if answer.certificate is not None:
            found["certificate"] = as_data(answer.certificate)
        return {**found, "method": answer.method, "seconds": round(answer.seconds, 4)}

    def _actions(self, actions: tuple[Instance, ...]) -> list[dict[str, Any]]:
        recorder = self.oracle.ladder(self.deal.players).writer.recorder
        return [action_data(recorder, action) for action in actions]

    # ---- for people ------------------------------------------------------------------------------
    def lines(self) -> Iterator[str]:
        """All that there is to say."""
        yield self.verdict
        last = self.deal.reached
        if last.line:
            yield f"line ({len(last.line)} actions, played by {' and '.join(last.confirmed_by)}):"
            yield from self._line()
        shown = self.explanation()
        yield from shown if self.explain or len(shown) < 2 else [shown[0], "…  (--explain says more)"]
        if self.method:
            yield from self._tried()
        if last.verdict == "undecided":
            yield "the budget is spent; --effort 10 allows ten times as much"

    def brief(self, name: str) -> Iterator[str]:
        """A line for a deal among many, with what else was asked for below it."""
        seconds = sum(answer.seconds for answer in self.deal.answers)
        yield f"{name}  {self.verdict}  ({self.deal.reached.method}, {seconds * 1000:.1f} ms)"
        if self.explain:
            yield from (f"  {line}" for line in self.explanation())
        if self.method:
            yield from (f"  {line}" for line in self._tried())

    @property
    def verdict(self) -> str:
        best, beyond = self.deal.best, self.deal.beyond
        if best is None or beyond is None:
            return self.deal.answer.verdict
        if best.verdict == "winnable":
            return f"unwinnable; the best score is {best.goal}"
        if self.deal.never_ends:
            return "unwinnable; no game ever ends"
        return f"unwinnable; the best score is less than {beyond.goal}, and perhaps {best.goal}"

    def _tried(self) -> Iterator[str]:
        answers = self.deal.answers
        for answer in answers:
            yield f"tried, for {answer.goal} points:" if len(answers) > 1 else "tried:"
            yield from (f"  {step}" for step in answer.tried)

    def _line(self) -> list[str]:
        """The actions of a line, a row for each time around the table."""
        state = self._state()
        rows: list[list[str]] = []
        for number, action in enumerate(self.deal.reached.line):
            if number % (self.deal.players or 8) == 0:
                rows.append([])
            rows[-1].append(action_text(state, action))
            state = state.step(action)
        return [f"  {'; '.join(row)}" for row in rows]

    def _state(self) -> State:
        return self.oracle.game.start(self.deal.players, self.deal.faces).play(self.deal.before)

    def explanation(self) -> list[str]:
        """Why a deal cannot be won, for a player."""
        ladder, deal, state = self.oracle.ladder(self.deal.players), self.deal, self._state()
        answer = deal.reached if deal.never_ends else deal.beyond or deal.answer
        if isinstance(answer.certificate, Reasoned | Outnumbered):
            assert ladder.reader is not None, "an argument speaks of positions"
            names, position = all_face_names(ladder.system), ladder.reader.read(state)
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
