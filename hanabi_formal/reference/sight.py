"""What one player knows from the table: all that lies open, the other hands, and every hint given."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from .decks import Face
from .rules import Clue
from .table import End, Place, Table

Told = Literal["untold", "yes", "no"]


@dataclass(frozen=True)
class View:
    """The table as one seat sees it."""

    seat: int
    turn: int
    pile_size: int
    blue: int
    red: int
    turns_left: int
    end: End | None
    places: tuple[Place, ...]  # of every card, by number
    faces: tuple[Face | None, ...]  # of every card, by number; None if the seat cannot see it
    told: Mapping[tuple[int, Clue], Told]  # of every card and everything a hint can name


def view(table: Table, seat: int) -> View:
    """setup.hidden, advice.pile: never one's own cards, nor the pile."""
    places = tuple(table.place(card) for card in range(len(table.deck)))
    hidden = (("pile",), ("hand", seat))
    faces = tuple(None if place in hidden else face for place, face in zip(places, table.deck, strict=True))
    told: dict[tuple[int, Clue], Told] = {
        (card, clue): "untold" for card in range(len(table.deck)) for clue in table.rules.clues
    }
    for card, clue, touched in table.told:
        told[card, clue] = "yes" if touched else "no"
    return View(
        seat=seat,
        turn=table.turn,
        pile_size=table.pile_size,
        blue=table.blue,
        red=table.red,
        turns_left=table.turns_left,
        end=table.end,
        places=places,
        faces=faces,
        told=told,
    )
