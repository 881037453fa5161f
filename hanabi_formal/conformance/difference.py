"""Where an implementation and the rules part, and what tells one cause from another."""

from __future__ import annotations

from dataclasses import dataclass, field

from hanabi_formal.conformance.messages import Seen

Cause = tuple[str, ...]


@dataclass(frozen=True)
class Played:
    """A game: the deal, the moves made, and those that were tried at its end and are not legal.

    A move that is legal, and that the implementation does not list, is among the latter too.
    """

    players: int
    cuts: tuple[tuple[str, tuple[str, ...]], ...]
    deck: tuple[str, ...]
    moves: tuple[int, ...]
    tried: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.moves) + len(self.tried)


@dataclass(frozen=True)
class Difference:
    """`cause` is what differences of one kind have in common: what differs, by which action, at which clause.

    `ours` and `theirs` are the tables after the last move; theirs is None if it did not answer.
    """

    cause: Cause
    what: str
    clauses: tuple[str, ...]
    played: Played
    ours: Seen
    theirs: Seen | None
    last: str = ""
    detail: str = field(default="", compare=False)
