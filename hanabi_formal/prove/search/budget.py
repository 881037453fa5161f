"""How much a search may try."""

from __future__ import annotations

from hanabi_formal.run.compiler.compile import Compiled

SLOW = 300
"""Steps that one costs which the executor leaves to the interpreter."""


class StepBudget:
    """Steps that may be tried, by one search after the other if they share it."""

    def __init__(self, compiled: Compiled, steps: int) -> None:
        self._compiled = compiled
        self._slow_before = compiled.slow_steps
        self._left = steps

    def look(self, many: int) -> None:
        """So many actions of a state are tried. To find none is not free, or a search of stuck games never stops."""
        self._left -= max(1, many)

    @property
    def left(self) -> int:
        return self._left - SLOW * (self._compiled.slow_steps - self._slow_before)

    @property
    def is_spent(self) -> bool:
        return self.left <= 0
