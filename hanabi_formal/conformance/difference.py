"""Where an implementation and the rules part, in which kind of game, and what tells one cause from another."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from hanabi_formal.api import Game
from hanabi_formal.conformance.messages import Seen

Cause = tuple[str, ...]

# Differences of these are looked at in this order: what comes first explains what comes later.
WORDS = {
    "ended": "whether the game has ended",
    "red": "mistakes",
    "fireworks": "fireworks",
    "discards": "discarded cards",
    "blue": "blue tokens",
    "pile": "cards in the pile",
    "hands": "hands",
    "turn": "whose turn it is",
    "score": "score",
}
ROLES = {"red": "red", "blue": "blue", "pile": "drawn", "turn": "turn"} | dict.fromkeys(
    ("fireworks", "discards", "hands"), "place"
)
"""The role of the variable that tells each of them."""


def differing(ours: Seen, theirs: Seen) -> list[str]:
    """The names of what both tell, and tell differently."""
    mine, other = ours.told, theirs.told
    return [name for name in WORDS if name in mine and name in other and mine[name] != other[name]]


@dataclass(frozen=True)
class GameKind:
    """A number of players, and what types of the deck are cut down to."""

    players: int
    cuts: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def __str__(self) -> str:
        cut = "".join(f", {name} {' '.join(values)}" for name, values in self.cuts)
        return f"{self.players} players{cut}"

    def cut(self, game: Game) -> Game:
        """The game with the deck that this kind has."""
        if not self.cuts:
            return game
        return Game(game.merged, replace(game.settings, cuts={**game.settings.cuts, **dict(self.cuts)}))


@dataclass(frozen=True)
class ComparedGame:
    """A game: the deal, the moves made, and those that were tried at its end and are not legal.

    A move that is legal, and that the implementation does not list, is among the latter too.
    """

    kind: GameKind
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
    detail: str = field(default="", compare=False)
