"""Decks as hanab.live numbers their suits and ranks, and as a game knows them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hanabi_formal.diagnostics.diagnostic import refuse
from hanabi_formal.formats.faces import check_deal, deck_of, face_names, letters
from hanabi_formal.formats.hanab_live.records import GameRecord, RecordedAction, RecordedCard
from hanabi_formal.formats.hanab_live.seeds import NO_VARIANT, NO_VARIANT_COPIES, NO_VARIANT_LETTERS, Seed
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.types import EnumType, IntType, show_value

NAMES = ("Alice", "Bob", "Cathy", "Donald", "Emily", "Frank")


# ---- suits -----------------------------------------------------------------------------------------
def has_suits_and_ranks(system: System) -> bool:
    kinds = tuple(kind for _, kind in deck_of(system).attributes)
    return len(kinds) == 2 and isinstance(kinds[0], EnumType) and isinstance(kinds[1], IntType)


def is_no_variant(system: System) -> bool:
    """Has the game exactly the cards of hanab.live's No Variant?"""
    theirs = {f"{letter}{rank}": many for letter in NO_VARIANT_LETTERS for rank, many in NO_VARIANT_COPIES.items()}
    return dict(zip(face_names(system), deck_of(system).copies, strict=True)) == theirs


def suits_of(system: System, record: GameRecord | None = None) -> dict[int, int]:
    """From `suitIndex` to the value of the first attribute.

    By letters in No Variant, by the names that a record of ours gives them; without a record as `as_record` does it.
    """
    kind = deck_of(system).attributes[0][1]
    if not has_suits_and_ranks(system) or not isinstance(kind, EnumType):
        raise refuse(
            "HRL600",
            f"the cards of `{system.name}` are not told apart by suit and rank, as JSON does",
            help="write the deal as text",
        )
    names: Sequence[str] = kind.labels
    known = {label: value for value, label in enumerate(kind.labels)}
    if record is not None and record.suits is not None:
        names = record.suits
    elif record is not None and record.variant != NO_VARIANT:
        raise refuse(
            "HRL600",
            f"the suits of hanab.live's variant `{record.variant[:60]}` are not known here",
            record.places["variant"],
            help=f"only {NO_VARIANT} is known; any deck can be given as text",
        )
    elif record is not None or is_no_variant(system):
        names, known = NO_VARIANT_LETTERS, letters(system)
    return {index: known[name] for index, name in enumerate(names) if name in known}


# ---- decks -----------------------------------------------------------------------------------------
def listed_faces(cards: Sequence[RecordedCard], record: GameRecord, system: System) -> tuple[int, ...]:
    """The faces of a deck that is a list of cards."""
    suits = suits_of(system, record)
    numbers = {face: number for number, face in enumerate(deck_of(system).faces)}
    faces = []
    for position, card in enumerate(cards, 1):
        if card.suit not in suits:
            names = dict(enumerate(record.suits or ()))
            shown = f"`{names[card.suit][:40]}`" if card.suit in names else str(card.suit)
            raise refuse(
                "HRL600",
                f"card {position} of the deck: `{system.name}` has no suit {shown}",
                card.span,
                help=f"the indices of its suits are {', '.join(map(str, suits))}",
            )
        face = (suits[card.suit], card.rank)
        if face not in numbers:
            ranks = ", ".join(str(rank) for suit, rank in numbers if suit == suits[card.suit])
            raise refuse(
                "HRL600",
                f"card {position} of the deck: `{system.name}` has no rank {card.rank}",
                card.span,
                help=f"the ranks of this suit are {ranks}",
            )
        faces.append(numbers[face])
    return check_deal(faces, system, [card.span for card in cards])


def as_record(
    faces: Iterable[int], system: System, actions: Iterable[RecordedAction] = (), seed: Seed | None = None
) -> dict[str, Any]:
    """A deal or a game for hanab.live. A seed overrides the deck there, so give it only if the deck is the seed's.

    A deck that hanab.live need not know goes by the name of the game, with names for its suits.
    """
    suits = suits_of(system)
    indices = {suit: index for index, suit in suits.items()}
    deck = deck_of(system)
    many = dict(system.parameters).get("players", 1)
    found: dict[str, Any] = {
        "players": [*NAMES[:many], *(f"Player {seat + 1}" for seat in range(len(NAMES), many))],
        "deck": [{"suitIndex": indices[deck.faces[face][0]], "rank": deck.faces[face][1]} for face in faces],
        "actions": [action.data() for action in actions],
        "options": {} if is_no_variant(system) else {"variant": system.name},
    }
    if not is_no_variant(system):
        found["suits"] = [show_value(deck.attributes[0][1], suit) for suit in suits.values()]
    if seed is not None:
        found["seed"] = seed.text
    return found
