"""Cards and decks. A deck is the cards in the order they are drawn; a card is known by its place in it."""

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from .rules import Rules


class Face(NamedTuple):
    """What is printed on a card."""

    suit: str
    value: int

    def __str__(self) -> str:
        return f"{self.suit[0]}{self.value}"


@cache
def composition(rules: Rules) -> tuple[Face, ...]:
    """Every card of the game, sorted: what the deck is shuffled from."""
    return tuple(
        Face(suit, value)
        for suit in rules.suits
        for value in range(1, rules.top + 1)
        for _ in range(rules.copies(suit, value))
    )


@cache
def counted(rules: Rules) -> Counter[Face]:
    return Counter(composition(rules))


def checked(rules: Rules, deck: Iterable[tuple[str, int]]) -> tuple[Face, ...]:
    """The deck, if it is a possible shuffle and large enough to deal."""
    cards = tuple([face if isinstance(face, Face) else Face(*face) for face in deck])
    have, want = Counter(cards), counted(rules)
    if have.items() != want.items():
        extra, lacking = [" ".join(map(str, (a - b).elements())) for a, b in ((have, want), (want, have))]
        raise ValueError(f"not a shuffle of the game's cards: too many [{extra}], missing [{lacking}]")
    if len(cards) < rules.players * rules.hand_size:
        raise ValueError(f"{len(cards)} cards cannot deal {rules.players} hands of {rules.hand_size}")
    return cards
