"""The table: everything that lies on it at one moment of the game, and what can be read off it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from .decks import Face
from .rules import MULTI, Clue, Rules

Place = tuple[Literal["pile", "fireworks", "discard"]] | tuple[Literal["hand"], int]
End = Literal["abandoned", "strikes", "indispensable", "perfect", "last_round", "hopeless", "stuck"]


@dataclass(slots=True)
class Table:
    """A moment of the game. Cards are numbered in the order they are drawn, from 0.

    A turn changes the table it is taken on; nothing else does.
    """

    rules: Rules
    deck: tuple[Face, ...]
    hands: list[list[int]]  # by seat; each in the order drawn, which is no rule
    drawn: int  # cards that have left the pile; the next to be drawn has this number
    fireworks: list[list[int]]  # by suit, in the order of rules.suits; lowest card first
    discards: set[int]
    blue: int  # hint tokens available
    red: int  # mistake tokens spent
    turn: int  # the seat to act
    turns_left: int  # of the last round; all players' until it begins
    told: set[tuple[int, Clue, bool]]  # card, what a hint named, whether it touched the card
    end: End | None = None

    def copied(self) -> "Table":
        return replace(
            self,
            hands=[*map(list, self.hands)],
            fireworks=[*map(list, self.fireworks)],
            discards=set(self.discards),
            told=set(self.told),
        )

    @property
    def pile_size(self) -> int:
        return len(self.deck) - self.drawn

    @property
    def in_last_round(self) -> bool:
        """end.last: from the drawing of the last card. The expert game has no last round."""
        return self.drawn == len(self.deck) and not self.rules.expert

    def height(self, suit: str) -> int:
        """The highest value on the firework of that colour, 0 if it is not begun."""
        return len(self.firework(suit))

    def firework(self, suit: str) -> list[int]:
        return self.fireworks[self.rules.suits.index(suit)]

    @property
    def complete(self) -> int:
        """How many fireworks are complete."""
        return [*map(len, self.fireworks)].count(self.rules.top)

    @property
    def points(self) -> int:
        """score.sum: the highest card of each firework, added up."""
        return sum(map(len, self.fireworks))

    def fits(self, face: Face) -> bool:
        """play.fit: the card starts its firework, or continues it with the next value."""
        height = self.height(face.suit)
        if face.value != height + 1:
            return False
        if self.rules.fit == "literal":  # "begins or completes": nothing in between
            return height == 0 or face.value == self.rules.top
        return True

    def touches(self, clue: Clue, face: Face) -> bool:
        """hint.complete: whether a hint naming this must point at the card."""
        kind, named = clue
        if kind == "value":
            return face.value == named
        return face.suit == named or (self.rules.rainbow and face.suit == MULTI)

    def mates(self, seat: int) -> Iterator[int]:
        return (other for other in range(self.rules.players) if other != seat)

    def has_turn_left(self, seat: int) -> bool:
        """Whether this seat is yet to act before the game must be over."""
        if not self.in_last_round:
            return True
        return (seat - self.turn) % self.rules.players < self.turns_left

    def place(self, card: int) -> Place:
        if card >= self.drawn:
            return ("pile",)
        if card in self.discards:
            return ("discard",)
        for seat, hand in enumerate(self.hands):
            if card in hand:
                return ("hand", seat)
        return ("fireworks",)
