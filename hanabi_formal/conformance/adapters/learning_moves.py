"""How the learning environment and its descendants number what can be done.

Discards, plays, hints about colours, hints about ranks; hints by how many seats further the one is who gets them.
"""

from __future__ import annotations

from hanabi_formal.conformance.messages import Setup, Unsupported

COLOURS = "RYGWB"
COPIES = {1: (3,), 2: (3, 1), 3: (3, 2, 1), 4: (3, 2, 2, 1), 5: (3, 2, 2, 2, 1)}


class Numbering:
    """Between our moves and theirs, for whoever acts; None where they have no such move."""

    def __init__(self, setup: Setup) -> None:
        hand, colours, ranks = setup.hand_size, len(setup.suits), len(setup.ranks)
        seats = range(setup.players)
        self.theirs: list[list[int | None]] = [[None] * len(setup.moves) for _ in seats]
        self.ours: list[dict[int, int]] = [{} for _ in seats]
        for actor in seats:
            for number, move in enumerate(setup.moves):
                offset = 0 if move.to is None else (move.to - actor) % setup.players
                found: int | None = None
                if not move.take:
                    continue
                if move.kind == "discard" and move.slot is not None:
                    found = move.slot
                elif move.kind == "play" and move.slot is not None:
                    found = hand + move.slot
                elif move.suit is not None and offset:
                    found = 2 * hand + (offset - 1) * colours + move.suit
                elif move.rank is not None and offset:
                    found = 2 * hand + (setup.players - 1) * colours + (offset - 1) * ranks + move.rank - 1
                if found is not None:
                    self.theirs[actor][number] = found
                    self.ours[actor][found] = number


def check_cards(setup: Setup, most_players: int = 5) -> None:
    """Their decks have as many copies as the ranks say, and no sixth colour."""
    ranks = len(setup.ranks)
    if len(setup.suits) > len(COLOURS) or setup.ranks != tuple(range(1, ranks + 1)):
        raise Unsupported("it has at most five suits, and ranks from 1 upwards")
    if any(row != COPIES.get(ranks) for row in setup.copies):
        raise Unsupported("it has other numbers of copies")
    if not 2 <= setup.players <= most_players:
        raise Unsupported(f"it has 2 to {most_players} players")


def card_numbers(setup: Setup) -> dict[str, int]:
    """What a card is called here, and its number there: `colour * ranks + rank - 1`."""
    ranks = len(setup.ranks)
    return {
        f"{letter}{rank}": suit * ranks + rank - 1 for suit, letter in enumerate(setup.letters) for rank in setup.ranks
    }


def card_texts(setup: Setup) -> dict[str, str]:
    """What a card is called there, `R1`, and here."""
    pairs = zip(COLOURS, setup.letters, strict=False)
    return {f"{theirs}{rank}": f"{ours}{rank}" for theirs, ours in pairs for rank in setup.ranks}
