"""Links of hanab.live written and read once more, plainly, for comparison with what the program makes of them."""

from __future__ import annotations

from collections.abc import Sequence

DIGITS = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ADDRESS = "https://hanab.live/replay-json/"
LETTERS = "rygbw"


def link(players: int, cards: Sequence[tuple[int, int]], actions: Sequence[tuple[int, int, int]]) -> str:
    """Cards are suit and rank, actions are type, target and value."""
    deck = "".join(DIGITS[suit * 5 + rank - 1] for suit, rank in cards)
    kinds = [kind for kind, _, _ in actions] or [0]
    low, many = min(kinds), max(kinds) - min(kinds) + 1
    done = "".join(DIGITS[(value + 1) * many + kind - low] + DIGITS[target] for kind, target, value in actions)
    return f"{ADDRESS}{players}15{deck},{low}{max(kinds)}{done},0"


def parts(text: str) -> list[str]:
    """Deck, actions and the rest, without what means nothing."""
    packed = text.rpartition("replay-json/")[2].partition("#")[0].rstrip("/")
    first, _, rest = packed.partition(",")
    second, _, last = rest.partition(",")
    return [first.replace("-", ""), second.replace("-", ""), last]


def read_link(text: str) -> list[str] | None:
    """The cards of a link; None if they are no cards of five suits."""
    deck = parts(text)[0]
    try:
        low, high = int(deck[1]), int(deck[2])
        found = [divmod(DIGITS.index(sign), high - low + 1) for sign in deck[3:]]
        return [f"{LETTERS[suit]}{rank + low}" for suit, rank in found]
    except (ValueError, IndexError, ZeroDivisionError):
        return None


def read_actions(text: str) -> list[tuple[int, int, int]]:
    """The actions of a link that was accepted: type, target, value."""
    done = parts(text)[1]
    low, high = int(done[0]), int(done[1])
    found = []
    for first, second in zip(done[2::2], done[3::2], strict=True):
        value, kind = divmod(DIGITS.index(first), high - low + 1)
        found.append((kind + low, DIGITS.index(second), max(0, value - 1)))
    return found
