"""A game that was played: its deal and what was done. The one form that actions have inside the program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Instance(NamedTuple):
    """An action with its arguments, each a number of its type."""

    name: str
    args: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.args))})"


@dataclass(frozen=True)
class Trace:
    """The deal as face numbers, and the actions from the start."""

    faces: tuple[int, ...]
    actions: tuple[Instance, ...] = ()

    def begins(self, other: Trace) -> bool:
        return self.faces == other.faces and self.actions == other.actions[: len(self.actions)]

    def until(self, many: int) -> Trace:
        """Its first actions."""
        return Trace(self.faces, self.actions[:many])
