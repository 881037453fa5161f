"""Clauses under construction, for the deal as `seats.py` tells it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

TRUE = 1


@dataclass
class ClauseBuilder:
    """Clauses under construction. A literal is a number, its negation the negative one; 1 is true."""

    variables: int = 1
    clauses: list[list[int]] = field(default_factory=lambda: [[TRUE]])

    def new(self) -> int:
        self.variables += 1
        return self.variables

    def many(self, count: int) -> list[int]:
        return [self.new() for _ in range(count)]

    def add(self, *literals: int) -> None:
        """A clause, without what is false anyway, unless it is true anyway."""
        if TRUE not in literals:
            self.clauses.append([literal for literal in literals if literal != -TRUE])

    def at_most_one(self, literals: Sequence[int]) -> None:
        if len(literals) <= 5:
            for place, literal in enumerate(literals):
                for other in literals[:place]:
                    self.add(-literal, -other)
            return
        before = 0
        for literal in literals:
            so_far = self.new()
            self.add(-literal, so_far)
            if before:
                self.add(-before, so_far)
                self.add(-before, -literal)
            before = so_far

    def at_most(self, literals: Sequence[int], limit: int) -> list[int]:
        """A counter: its n-th literal is true if more than n of those are; more than `limit` are never true."""
        count: list[int] = []
        for literal in literals:
            following = self.many(min(len(count) + 1, limit))
            for more, known in enumerate(count):
                self.add(-known, following[more])
                if more + 1 < len(following):
                    self.add(-known, -literal, following[more + 1])
                if more + 1 >= limit:
                    self.add(-known, -literal)
            if following:
                self.add(-literal, following[0])
            else:
                self.add(-literal)
            count = following
        return count

    def counted(self, count: list[int], literal: int) -> list[int]:
        """A counter, with one literal more: its n-th literal is true if more than n of those counted are."""
        if literal == -TRUE:
            return count
        following = self.many(len(count))
        for more, known in enumerate(count):
            self.add(-known, following[more])
            self.add(-literal, -(count[more - 1] if more else TRUE), following[more])
        return following

    @property
    def digest(self) -> str:
        """A hash of all clauses."""
        text = "\n".join(" ".join(map(str, clause)) for clause in self.clauses)
        return sha256(f"{self.variables}\n{text}".encode()).hexdigest()
