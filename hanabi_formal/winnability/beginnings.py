"""First positions of many deals, read quickly."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from hanabi_formal.api import State
from hanabi_formal.judge.arguments.position import Position, PositionReader
from hanabi_formal.kernel.depends import start_depends_on_deal


class Beginnings:
    """Where deals of a game begin alike, only their faces are read from the second on."""

    def __init__(self, reader: PositionReader) -> None:
        self._reader = reader
        self._rest: tuple[Any, ...] | None = None

    def read(self, state: State) -> Position:
        """The position of a first state."""
        if self._rest is not None:
            return Position(tuple(map(self._reader.face_numbers.__getitem__, state.dealt[0])), *self._rest)
        first = self._reader.read(state)
        if not start_depends_on_deal(self._reader.system) and not any(first.heights):  # heights depend on the faces
            self._rest = tuple(getattr(first, field.name) for field in fields(first))[1:]
        return first
