"""Two tables side by side: what differs, what that is called, and which variable of the rules tells it."""

from __future__ import annotations

from collections.abc import Callable

from hanabi_formal.conformance.messages import Seen
from hanabi_formal.roles.entries import Roles

# Differences of these are looked at in this order: what comes first explains what comes later.
ORDER = ("ended", "red", "fireworks", "discards", "blue", "pile", "hands", "turn", "score")
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
VARIABLES: dict[str, Callable[[Roles], str]] = {
    "red": lambda roles: roles.red,
    "blue": lambda roles: roles.blue,
    "pile": lambda roles: roles.drawn,
    "turn": lambda roles: roles.turn,
    **dict.fromkeys(("fireworks", "discards", "hands"), lambda roles: roles.place),
}
"""The variable that tells each of them."""


def differing(ours: Seen, theirs: Seen) -> list[str]:
    """The names of what both tell, and tell differently."""
    found = []
    for name in ORDER:
        mine, other = getattr(ours, name), getattr(theirs, name)
        if mine is not None and other is not None and mine != other:
            found.append(name)
    return found
