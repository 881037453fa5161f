"""Where an implementation and the rules part, and what tells one cause from another."""

from __future__ import annotations

from dataclasses import dataclass, field

from hanabi_formal.conformance.messages import Seen

Cause = tuple[str, ...]
Cuts = tuple[tuple[str, tuple[str, ...]], ...]
"""What types of the deck are cut down to."""


@dataclass(frozen=True)
class ComparedGame:
    """A game: the deal, the moves made, and those that were tried at its end and are not legal.

    A move that is legal, and that the implementation does not list, is among the latter too.
    """

    players: int
    cuts: Cuts
    deck: tuple[str, ...]
    moves: tuple[int, ...]
    tried: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.moves) + len(self.tried)


@dataclass(frozen=True)
class Nonconformance:
    """`cause` is what differences of one kind have in common: what differs, by which action, at which clause.

    `ours` and `theirs` are the tables after the last move; theirs is None if it did not answer.
    """

    cause: Cause
    what: str
    clauses: tuple[str, ...]
    played: ComparedGame
    ours: Seen
    theirs: Seen | None
    last: str = ""
    detail: str = field(default="", compare=False)
