"""What cannot hold together at one step: two values of one place, a move and what its guard rules out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hanabi_formal.sat.encode.gates import FALSE, TRUE, Cnf, Value
from hanabi_formal.sat.encode.reach import Reach

DEPTH = 3


class Exclusions:
    """For the state before one step. All of it holds as long as the game is on."""

    def __init__(self, cnf: Cnf, reach: Reach) -> None:
        self._cnf = cnf
        self._reach = reach
        self._meaning: dict[int, tuple[int, int]] = {}
        self._guards: dict[int, Sequence[int]] = {}

    def know(self, key: int, value: Value, is_truth: bool) -> None:
        """Which literals say what a place, or a count, is now."""
        if isinstance(value, dict):
            for number, literal in value.items():
                if number is not None:
                    self._meaning[literal] = (key, number)
        elif is_truth:
            self._meaning[value] = (key, 1)
            self._meaning[-value] = (key, 0)

    def know_move(self, literal: int, guard: Sequence[int]) -> None:
        self._guards[literal] = guard

    def facts(self, conjunction: Iterable[int]) -> dict[int, int]:
        """What places hold if all of these are true."""
        found: dict[int, int] = {}
        for literal in conjunction:
            for part in (literal, *self._guards.get(literal, ())):
                known = self._meaning.get(part)
                if known is not None:
                    found[known[0]] = known[1]
        return found

    def rules_out(self, conjunction: Sequence[int], facts: dict[int, int], literal: int, depth: int = DEPTH) -> bool:
        """Is the literal false if all of these are true?"""
        if -literal in conjunction:
            return True
        known = self._meaning.get(literal)
        if known is not None:
            entry, value = known
            if facts.get(entry, value) != value:
                return True
            pivot = self._reach.pivot
            if pivot is not None and entry >= 0:
                if entry == pivot:
                    return any(e >= 0 and e != pivot and self._reach.excludes(value, e, v) for e, v in facts.items())
                if pivot in facts:
                    return self._reach.excludes(facts[pivot], entry, value)
            return False
        if depth == 0:
            return False
        parts = self._guards.get(literal, self._cnf.gates.get(literal))
        if parts is not None:
            return any(self.rules_out(conjunction, facts, part, depth - 1) for part in parts)
        parts = self._cnf.gates.get(-literal)
        return parts is not None and all(self.rules_out(conjunction, facts, -part, depth - 1) for part in parts)

    def settled(self, conjunction: Sequence[int], facts: dict[int, int], literal: int) -> int:
        """The literal, or what it must be if all of these are true."""
        if self.rules_out(conjunction, facts, literal):
            return FALSE
        return TRUE if self.rules_out(conjunction, facts, -literal) else literal

    def exclusive(self, one: Sequence[int], other: Sequence[int]) -> bool:
        facts = self.facts(one)
        return any(self.rules_out(one, facts, literal) for literal in other)
