"""What is said of a recorded game: its steps, what is illegal, how it ends; for people, as data, or written again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hanabi_formal.formats.games import GivenGame
from hanabi_formal.formats.hanab_live.links import as_link
from hanabi_formal.formats.hanab_live.records import GameRecord
from hanabi_formal.formats.step_text import action_text, end_data, end_line, step_data, step_line
from hanabi_formal.replays.lost import Lost
from hanabi_formal.replays.outcome import Replayed
from hanabi_formal.replays.recorded import exported


@dataclass(frozen=True)
class GameReport:
    """`lost` is what is known of when it was lost, if that was asked."""

    given: GivenGame
    replayed: Replayed
    lost: Lost | None = None

    @property
    def as_recorded(self) -> bool | None:
        """Is the score the recorded one? None if none is recorded, or the game has not ended."""
        recorded = self._recorded_score
        if recorded is None or self.replayed.last.ended is None:
            return None
        return recorded == self.replayed.last.score

    @property
    def _recorded_score(self) -> int | None:
        return self.given.content.score if isinstance(self.given.content, GameRecord) else None

    # ---- for people ------------------------------------------------------------------------------
    def lines(self) -> list[str]:
        """All that there is to say."""
        replayed, lines = self.replayed, self._title()
        for turn in replayed.turns:
            figures = turn.figures
            shown = [f"score {turn.told.after.score}"]
            shown += [f"reachable {figures.reachable_max}"] if figures.reachable_max is not None else []
            shown += [f"pace {figures.pace}"] if figures.pace is not None else []
            lines.append(f"{step_line(turn.told)}  | {', '.join(shown)}")
        lines.append(self._outcome())
        if replayed.by_reference is not None:
            lines.append(f"note: not replayed by the reference engine: {replayed.by_reference}")
        return [*lines, *self._lost()]

    def brief(self) -> str:
        """A line for a game among many."""
        many = len(self.replayed.turns)
        turns = f"{many} turn{'' if many == 1 else 's'}"
        begins = f"{self.given.place}  {self.replayed.players} players, {turns}"
        return "  ".join([begins, self._outcome(), *self._lost()])

    def _title(self) -> list[str]:
        count = f", {self.replayed.players} players" if self.replayed.players is not None else ""
        return [f"{self.replayed.game.name}{count}", f"deal  {self.replayed.first.deal}"]

    def _outcome(self) -> str:
        """What is illegal; or how it ended, or what the rules say where the record stops."""
        replayed, illegal, last = self.replayed, self.replayed.illegal, self.replayed.last
        if illegal is not None:
            clauses = f" [{' '.join(illegal.clauses)}]" if illegal.clauses else ""
            return f"illegal  action {illegal.number}, {illegal.action}: {illegal.reason}{clauses}"
        if last.ended is not None:
            said = {None: "", True: ", as recorded", False: f", but {self._recorded_score} is recorded"}
            return end_line(last) + said[self.as_recorded] + self._played_on()
        if not last.legal():
            return end_line(last)
        why = "; ".join(
            f"it would end here by `{end.name}` [{' '.join(end.clauses)}] under {other}"
            for other, end in replayed.ends_under
        )
        more = f"; {why}" if why else ""
        return f"stopped  the rules would play on; score {last.score} so far{more}"

    def _played_on(self) -> str:
        on = self.replayed.played_on
        if on is None:
            return ""
        stop = f"the rules stop after action {on.after} by `{on.end.name}` [{' '.join(on.end.clauses)}]"
        return f"; {stop}, it goes on as under {on.under}"

    def _lost(self) -> list[str]:
        """The action behind a loss, with what was still possible before it."""
        if self.lost is None:
            return []
        if self.lost.by is None:
            return [f"lost  {self.lost}"]
        told = self.lost.by.told
        by = f"action {told.number}, seat {told.actor}  {action_text(told.before, told.action)}"
        return [f"lost  by {by}: until then it could be won"]

    # ---- as data ---------------------------------------------------------------------------------
    def data(self) -> dict[str, Any]:
        replayed, illegal, on = self.replayed, self.replayed.illegal, self.replayed.played_on
        system, last = replayed.game.system(replayed.players), replayed.last
        refused = illegal and {
            "number": illegal.number,
            "action": illegal.action,
            "reason": illegal.reason,
            "clauses": list(illegal.clauses),
            "place": illegal.span.place if illegal.span is not None else None,
        }
        found = {
            "spec": replayed.game.name,
            "players": replayed.players,
            "line": self.given.number,
            "settings": {**dict(system.rulings), **dict(system.parameters)},
            "deal": replayed.first.deal,
            "legal": replayed.legal,
            "illegal": refused,
            "end": end_data(last) if last.ended is not None else None,
            "score": last.score,
            "as_recorded": self.as_recorded,
            "ends_under": [{**dict(other.choice), "end": end.name} for other, end in replayed.ends_under],
            "played_on": on and {"after": on.after, "end": on.end.name, "under": dict(on.under.choice)},
            "start": {"pace": replayed.first_figures.pace, "reachable_max": replayed.first_figures.reachable_max},
            "turns": [
                {**step_data(turn.told), "pace": turn.figures.pace, "reachable_max": turn.figures.reachable_max}
                for turn in replayed.turns
            ],
            "reference": replayed.by_reference is None,
        }
        if self.lost is not None:
            found["lost"] = {
                "by": self.lost.by.told.number if self.lost.by is not None else None,
                "winnable_after": self.lost.winnable,
                "lost_after": self.lost.lost,
                "undecided_after": list(self.lost.undecided),
            }
        return found

    def written_again(self, form: str) -> str | dict[str, Any]:
        """The legal part of the game as `text`, as a `link`, or as a record for `json`."""
        if form == "text":
            steps = (
                f"{turn.told.number:3}  seat {turn.told.actor}  {action_text(turn.told.before, turn.told.action)}"
                for turn in self.replayed.turns
            )
            return "\n".join([*self._title(), *steps])
        record = exported(self.replayed)
        return as_link(record) if form == "link" else record
