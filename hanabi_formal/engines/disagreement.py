"""Our own engines differ: a bug here, told so that it can be reported and repeated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Disagreement(Exception):
    """What differs after how many actions of a game, and what each side says of it.

    `played` is the game with everything that is needed to play it again: `spec`, `players`, `parameters`, `rulings`,
    `cuts`, `deal` and `actions`.
    """

    def __init__(self, what: str, answers: Mapping[str, str], after: int, played: Mapping[str, Any]) -> None:
        super().__init__(what, answers, after, played)
        self.what = what
        self.answers = answers
        self.after = after
        self.played = played

    def __str__(self) -> str:
        """The whole report."""
        played = self.played
        facts = {
            "specification": played["spec"],
            "players": "any" if played["players"] is None else played["players"],
            "parameters": _listed(played["parameters"]),
            "rulings": _listed(played["rulings"]),
            "cut down": _listed({name: ",".join(values) for name, values in played["cuts"].items()}),
            "deal": played["deal"],
        }
        return "\n".join(
            [
                f"our engines disagree after {self.after} of {len(played['actions'])} actions: {self.what}",
                *(f"  {who + ':':18} {says}" for who, says in self.answers.items()),
                *(f"{name + ':':15} {value}" for name, value in facts.items()),
                "actions:",
                *(f"{number:5}  {action}" for number, action in enumerate(played["actions"], 1)),
            ]
        )

    @property
    def data(self) -> dict[str, Any]:
        return {"what": self.what, "answers": self.answers, "after": self.after, **self.played}


def _listed(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values.items()) or "none"
