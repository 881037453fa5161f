"""Faults of a rule file that only a game shows."""

from __future__ import annotations

from enum import Enum

from hanabi_formal.diagnostics.source import Span


class FaultKind(Enum):
    """The three ways in which rules can ask for something that has no meaning."""

    OUT_OF_BOUNDS = "a variable is given a value outside its type"
    WRITTEN_TWICE = "one place is updated twice at the same time"
    NOT_THERE = "an individual, an index or a field is named that does not exist"


class Fault(Exception):
    """The rules ask for something that has no meaning: a value out of bounds, two writes to one place, no such card.

    `variable` is the one that is written, if the fault is about a write.
    """

    def __init__(self, kind: FaultKind, message: str, span: Span | None = None, variable: str | None = None) -> None:
        super().__init__(kind, message, span, variable)
        self.kind, self.message, self.span, self.variable = kind, message, span, variable

    def __str__(self) -> str:
        return f"{self.message} ({self.span.place})" if self.span else self.message


class IllegalAction(ValueError):
    """The rules do not allow this action now; the message names the guard and its clause."""
