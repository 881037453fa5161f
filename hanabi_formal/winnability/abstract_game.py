"""The game that searches for lines play: cards of no more use are alike, a hint is a turn passed, and nobody errs.

A line found in it is a claim until the rules have played it, so nothing here needs a proof. Sets of faces are numbers
with a bit for each face.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from operator import or_

from hanabi_formal.judge.arguments.position import Position
from hanabi_formal.winnability.line_writer import DISCARD, HINT, PLAY, Move

TO_HINT, TO_DISCARD = Move(HINT), Move(DISCARD)


class Simplified:
    """A position of it, and all that its deal fixes. `display` says how high each suit is to grow."""

    def __init__(self, position: Position, has_last_round: bool, display: Sequence[int]) -> None:
        self.position = position
        self.has_last_round = has_last_round
        self.display = display
        self.bits = bits = [1 << face for face in position.faces]
        """The face of each card; of the one after the last, none."""
        self.later = [*accumulate(reversed(bits), or_, initial=0)][::-1]
        """The faces from each card on."""
        bits.append(0)
        ranks = position.ranks
        self.to_play, self.to_drop = moves(PLAY, position.suits * ranks), moves(DISCARD, position.suits * ranks)
        self.ones = lowest(position.suits, ranks)
        self.tops = self.ones << ranks - 1
        self.need = 0
        for suit, height in enumerate(position.heights):
            self.need |= ((1 << display[suit]) - (1 << height)) << suit * ranks
        self.hands: list[int] = []
        for cards in position.hands:
            held = 0
            for card in cards:
                held |= bits[card]
            self.hands.append(held)


@cache
def moves(kind: str, faces: int) -> list[Move]:
    """One for each face."""
    return [Move(kind, face) for face in range(faces)]


@cache
def lowest(suits: int, ranks: int) -> int:
    """The lowest face of each suit."""
    return sum(1 << suit * ranks for suit in range(suits))
