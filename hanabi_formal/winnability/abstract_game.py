"""The abstract game that searches play: cards of no more use are alike, a hint is a turn passed, and nobody errs.

It relaxes the rules, so a line found in it is a claim until `line_writer.py` has played it by the rules, and nothing
here needs a proof. Sets of faces are numbers with a bit for each face.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from operator import or_
from typing import NamedTuple

from hanabi_formal.judge.arguments.position import Position

PLAY, DISCARD, MISTAKE, HINT, WAIT = "play", "discard", "mistake", "hint", "wait"


class AbstractAction(NamedTuple):
    """`face` is what is played, or what is discarded though it is of use; -1 for a card of no use.

    To wait is to do anything that costs nothing: discard, or else hint.
    """

    kind: str
    face: int = -1


TO_HINT, TO_DISCARD, TO_WAIT = AbstractAction(HINT), AbstractAction(DISCARD), AbstractAction(WAIT)


AbstractState = tuple[int, tuple[int, ...], int, int]
"""The faces that are still to be played; those in each hand, in turn, from the one on that acts; cards drawn; tokens.

A plain tuple: searches make a million of them a second, and names would cost them a fifth more time.
"""


class AbstractGame:
    """The first state, read from a position, and all that its deal fixes. `display`: how high each suit is to grow."""

    def __init__(self, position: Position, has_last_round: bool, display: Sequence[int]) -> None:
        self.has_last_round = has_last_round
        self.display = display
        self.players = position.players
        self.hand_size, self.token_limit = position.hand_size, position.token_limit
        self.size = len(position.faces)
        self.bits = bits = [1 << face for face in position.faces]
        """The face of each card; of the one after the last, none."""
        self.later = [*accumulate(reversed(bits), or_, initial=0)][::-1]
        """The faces from each card on."""
        bits.append(0)
        ranks = position.ranks
        self.to_play, self.to_drop = _of_faces(PLAY, position.suits * ranks), _of_faces(DISCARD, position.suits * ranks)
        ones = _lowest(position.suits, ranks)
        self.above = ~ones
        """All faces but the lowest of each suit."""
        self.tops = ones << ranks - 1
        missing = 0
        for suit, height in enumerate(position.heights):
            missing |= ((1 << display[suit]) - (1 << height)) << suit * ranks
        hands = []
        for cards in position.hands:
            held = 0
            for card in cards:
                held |= bits[card]
            hands.append(held)
        in_turn = hands[position.turn :] + hands[: position.turn]
        self.first: AbstractState = (missing, tuple(in_turn), position.drawn, position.tokens)
        self.turns_left = position.turns_left


@cache
def _of_faces(kind: str, faces: int) -> list[AbstractAction]:
    return [AbstractAction(kind, face) for face in range(faces)]


@cache
def _lowest(suits: int, ranks: int) -> int:
    """The lowest face of each suit."""
    return sum(1 << suit * ranks for suit in range(suits))
