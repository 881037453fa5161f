"""What we and an implementation say to each other: how a game is set up, what can be done, what lies on the table.

Adapters import this and nothing else of ours, so that they run wherever the package they drive is installed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

PROTOCOL = 1
ALWAYS = frozenset({"play", "discard", "hint"})
"""Actions that every implementation has."""
SOME = frozenset({"announce", "pass", "abandon", "deck_play"})
"""Actions that some have."""


class ProtocolMove(NamedTuple):
    """Something to do. `slot` is a place in the hand of whoever acts, 0 the card held longest.

    A hint goes `to` a seat and is about a `rank`, or about one of the colours: `suit` is its number among them. `take`
    is false where a token that is due is declined. Any other `kind` is the name of an action without arguments.
    """

    kind: str
    slot: int | None = None
    to: int | None = None
    suit: int | None = None
    rank: int | None = None
    take: bool = True

    def data(self, colours: tuple[str, ...]) -> dict[str, Any]:
        """As the protocol writes it."""
        found = {
            "type": self.kind,
            "slot": self.slot,
            "to": self.to,
            "colour": None if self.suit is None else colours[self.suit],
            "value": self.rank,
            "take": None if self.take else False,
        }
        return {name: value for name, value in found.items() if value is not None}


class Seen(NamedTuple):
    """What lies on the table; None for what an implementation does not tell, which is then not compared.

    Cards are texts such as `r1`; hands are in the order of slots; `red` are the mistakes made so far.
    """

    hands: tuple[tuple[str, ...], ...] | None = None
    fireworks: tuple[int, ...] | None = None
    discards: tuple[str, ...] | None = None
    pile: int | None = None
    blue: int | None = None
    red: int | None = None
    turn: int | None = None
    score: int | None = None
    ended: bool | None = None

    @property
    def told(self) -> dict[str, Any]:
        """What is told, by name."""
        return {name: value for name, value in self._asdict().items() if value is not None}


@dataclass(frozen=True)
class Setup:
    """All of a game but its deal. `moves` are all that can be said; legal or not, they go by their number here.

    `letters` are what stands before the rank in the name of a card. `other_colours` can be hinted at, and are no suits.
    """

    spec: str
    players: int
    suits: tuple[str, ...]
    letters: tuple[str, ...]
    ranks: tuple[int, ...]
    copies: tuple[tuple[int, ...], ...]
    hand_size: int
    blue_tokens: int
    red_tokens: int
    rulings: dict[str, str] = field(hash=False)
    moves: tuple[ProtocolMove, ...] = ()
    other_colours: tuple[str, ...] = ()

    @property
    def colours(self) -> tuple[str, ...]:
        """All that a hint about a colour may name."""
        return (*self.suits, *self.other_colours)

    def data(self) -> dict[str, Any]:
        """As the protocol writes it: moves are not told, and colours only where some are no suits."""
        told = {name: value for name, value in vars(self).items() if name not in ("moves", "other_colours")}
        return {"protocol": PROTOCOL, **told} | ({"colours": self.colours} if self.other_colours else {})


class Reply(NamedTuple):
    """`refused` says why a move was not made. `legal` are the numbers of the moves that are, if that is told."""

    seen: Seen
    legal: frozenset[int] | None = None
    refused: str | None = None


class Unsupported(Exception):
    """The implementation has no such game; the message says why."""


class Failed(Exception):
    """It did not answer as it should: it crashed, fell silent or said something that means nothing."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(f"{kind}: {detail}" if detail else kind)
        self.kind = kind
        self.detail = detail


class Implementation(Protocol):
    """Somebody else's Hanabi. `knows` are the names of actions it has; `take` among them if tokens can be declined."""

    name: str
    knows: frozenset[str]

    def sit(self, setup: Setup) -> None:
        """The games to come are of this kind. `Unsupported` if it has none such."""

    def start(self, deck: tuple[str, ...]) -> Reply:
        """A new game with the cards in this order."""

    def act(self, move: int) -> Reply:
        """Make a move, or refuse it and stay as it was."""

    def close(self) -> None: ...
