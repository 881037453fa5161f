"""How the learning environment and its descendants number what can be done.

Discards, plays, hints about colours, hints about ranks; hints by how many seats further the one is who gets them.
"""

from __future__ import annotations

from hanabi_formal.conformance.messages import ProtocolMove, Setup, Unsupported

COLOURS = "RYGWB"
COPIES = {1: (3,), 2: (3, 1), 3: (3, 2, 1), 4: (3, 2, 2, 1), 5: (3, 2, 2, 2, 1)}
MOST_PLAYERS = 5
OPTIONS = ("players", "colors", "ranks", "hand_size", "max_information_tokens", "max_life_tokens")
"""What they call all that tells one of their games from another."""


def sizes(setup: Setup) -> tuple[int, ...]:
    """All that tells one game from another, in the order of `OPTIONS`."""
    return setup.players, len(setup.suits), len(setup.ranks), setup.hand_size, setup.blue_tokens, setup.red_tokens


class Numbering:
    """Between our moves and theirs, for whoever acts; None where they have no such move."""

    def __init__(self, setup: Setup) -> None:
        self.theirs = [[_number(setup, move, actor) for move in setup.moves] for actor in range(setup.players)]
        self.ours = [{number: ours for ours, number in enumerate(row) if number is not None} for row in self.theirs]


def _number(setup: Setup, move: ProtocolMove, actor: int) -> int | None:
    colours, ranks, hints = len(setup.suits), len(setup.ranks), 2 * setup.hand_size
    further = 0 if move.to is None else (move.to - actor) % setup.players
    match move:
        case ProtocolMove(take=False):
            return None
        case ProtocolMove("discard", int(slot)):
            return slot
        case ProtocolMove("play", int(slot)):
            return setup.hand_size + slot
        case ProtocolMove(suit=int(suit)) if further:
            return hints + (further - 1) * colours + suit
        case ProtocolMove(rank=int(rank)) if further:
            return hints + (setup.players - 1) * colours + (further - 1) * ranks + rank - 1
    return None


def check_cards(setup: Setup) -> None:
    """Their decks have as many copies as the ranks say, and no sixth colour."""
    ranks = len(setup.ranks)
    if len(setup.suits) > len(COLOURS) or setup.ranks != tuple(range(1, ranks + 1)):
        raise Unsupported("it has at most five suits, and ranks from 1 upwards")
    if any(row != COPIES.get(ranks) for row in setup.copies):
        raise Unsupported("it has other numbers of copies")
    if not 2 <= setup.players <= MOST_PLAYERS:
        raise Unsupported(f"it has 2 to {MOST_PLAYERS} players")


def card_pairs(setup: Setup) -> dict[str, tuple[int, int]]:
    """What a card is called here, and the numbers of its colour and its rank there."""
    suits = enumerate(setup.letters)
    return {f"{letter}{rank}": (suit, rank - 1) for suit, letter in suits for rank in setup.ranks}


def card_texts(setup: Setup) -> dict[str, str]:
    """What a card is called there, `R1`, and here."""
    pairs = zip(COLOURS, setup.letters, strict=False)
    return {f"{theirs}{rank}": f"{ours}{rank}" for theirs, ours in pairs for rank in setup.ranks}
