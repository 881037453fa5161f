"""Fewer points than there are faces: which fireworks may have them, and why none of those can be had.

Whoever has so many points has a display of so many cards in which every suit is at least as high as now. Displays that
need a face of which every card is gone are out of the question; against each of the others there must be an argument.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hanabi_formal.judge.arguments.argument import Argument, ArgumentJudge, leaves
from hanabi_formal.judge.arguments.position import Position
from hanabi_formal.judge.refutations.lrat import Refused

Display = tuple[int, ...]
"""How high each suit is."""

MOST_DISPLAYS = 130
"""Five points fewer than five suits could still have are 126 displays."""


def displays(position: Position, goal: int) -> Iterator[Display]:
    """All of `goal` cards, no suit lower than now, no face of which every card is gone."""
    return _grown(position.heights, highest(position), goal)


def highest(position: Position) -> Display:
    """How high each suit can still become as far as there are cards."""
    found = []
    for suit, height in enumerate(position.heights):
        while height < position.ranks and position.copies[suit * position.ranks + height]:
            height += 1
        found.append(height)
    return tuple(found)


def _grown(lows: Display, highs: Display, goal: int) -> Iterator[Display]:
    if not sum(lows) <= goal <= sum(highs):
        return
    if not lows:
        yield ()
        return
    for height in range(highs[0], lows[0] - 1, -1):
        for rest in _grown(lows[1:], highs[1:], goal - height):
            yield (height, *rest)


def too_few(position: Position, cards: int) -> None:
    """Silently, if so many cards cannot be played because each that is leaves one less in hands; else `Refused`."""
    most = sum(position.heights) + sum(map(len, position.hands))
    if cards <= most:
        raise Refused(f"{most} cards are in hands or played, and {cards} are asked for")


def accept(position: Position, goal: int, arguments: Mapping[Display, Argument]) -> int:
    """How many leaves they have, if these arguments show that no game has so many cards; else `Refused`."""
    if sum(position.heights) >= goal:
        raise Refused(f"there are {sum(position.heights)} cards on the fireworks already")
    if len(arguments) > MOST_DISPLAYS:
        raise Refused(f"it speaks of more than {MOST_DISPLAYS} displays")
    many = 0
    for display in displays(position, goal):
        if display not in arguments:
            raise Refused(f"it says nothing against a display of {' '.join(map(str, display))}")
        ArgumentJudge(position, display).accept(arguments[display])
        many += 1
    if many < len(arguments):
        raise Refused(f"it speaks of displays that have not {goal} cards, or cannot be had any more")
    return sum(sum(1 for _ in leaves(argument)) for argument in arguments.values())
