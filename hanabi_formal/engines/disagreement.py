"""Our own engines differ: a bug here, told so that it can be reported and repeated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ReplayableGame:
    """A game with everything that is needed to play it again."""

    spec: str
    players: int | None
    parameters: Mapping[str, int]
    rulings: Mapping[str, str]
    cuts: Mapping[str, tuple[str, ...]]
    deal: str
    actions: tuple[str, ...]


class Disagreement(Exception):
    """What differs after how many actions of a game, and what each side says of it."""

    def __init__(self, what: str, answers: Mapping[str, str], after: int, played: ReplayableGame) -> None:
        super().__init__(what, answers, after, played)
        self.what = what
        self.answers = answers
        self.after = after
        self.played = played

    def __str__(self) -> str:
        """The whole report."""
        played = self.played
        cuts = {name: ",".join(values) for name, values in played.cuts.items()}
        facts = {
            "specification": played.spec,
            "players": "any" if played.players is None else played.players,
            "parameters": _listed(played.parameters),
            "rulings": _listed(played.rulings),
            "cut down": _listed(cuts),
            "deal": played.deal,
        }
        return "\n".join(
            [
                f"our engines disagree after {self.after} of {len(played.actions)} actions: {self.what}",
                *(f"  {who + ':':18} {says}" for who, says in self.answers.items()),
                *(f"{name + ':':15} {value}" for name, value in facts.items()),
                "actions:",
                *(f"{number:5}  {action}" for number, action in enumerate(played.actions, 1)),
            ]
        )

    @property
    def data(self) -> dict[str, Any]:
        played = self.played
        return {
            "what": self.what,
            "answers": dict(self.answers),
            "after": self.after,
            "spec": played.spec,
            "players": played.players,
            "parameters": dict(played.parameters),
            "rulings": dict(played.rulings),
            "cuts": {name: list(values) for name, values in played.cuts.items()},
            "deal": played.deal,
            "actions": list(played.actions),
        }


def _listed(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values.items()) or "none"
