"""Faults of a rule file that only a game shows."""

from __future__ import annotations

from hanabi_formal.diagnostics.source import Span


class Fault(Exception):
    """The rules ask for something that has no meaning: a value out of bounds, two writes to one place, no such card."""

    def __init__(self, message: str, span: Span | None = None) -> None:
        self.span = span
        super().__init__(f"{message} ({span.place})" if span else message)


class IllegalAction(ValueError):
    """The rules do not allow this action now; the message names the guard and its clause."""
