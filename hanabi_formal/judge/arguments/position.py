"""A moment of a game whose whole deal is known, in the words that arguments about deals use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from hanabi_formal.api import Game, State
from hanabi_formal.kernel.system import Deck, System
from hanabi_formal.kernel.types import Constructor, UnionType, show_value, type_values

LAST_ROUND = "last_round"
NUMBERS = ("drawn", "turn", "blue_left", "red_spent", "turns_left")
ATTRIBUTES = ("suit", "rank")
PLACES = ("pile", "fireworks", "discards")


@dataclass(frozen=True)
class Position:
    """Cards are numbered in the order they are drawn, faces as `suit * ranks + rank`, all from 0."""

    faces: tuple[int, ...]
    suits: int
    ranks: int
    first_rank: int
    hand_size: int
    hands: tuple[tuple[int, ...], ...]
    heights: tuple[int, ...]
    drawn: int
    turn: int
    turns_left: int
    tokens: int
    token_limit: int
    mistakes: int
    """How many more the players can make; the last of them loses the game."""

    @property
    def players(self) -> int:
        return len(self.hands)

    @property
    def room(self) -> int:
        """How many cards all hands together may hold."""
        return self.players * self.hand_size

    @cached_property
    def seat_of(self) -> dict[int, int]:
        return {card: seat for seat, hand in enumerate(self.hands) for card in hand}

    def is_played(self, face: int) -> bool:
        return face % self.ranks < self.heights[face // self.ranks]

    def missing(self, display: Sequence[int] | None = None) -> list[int]:
        """The faces that are still to be played for a display, which says how high each suit is; by default all."""
        heights = [self.ranks] * self.suits if display is None else display
        return [
            suit * self.ranks + rank
            for suit, height in enumerate(heights)
            for rank in range(self.heights[suit], height)
        ]

    @cached_property
    def copies(self) -> tuple[tuple[int, ...], ...]:
        """For each face, the cards that can still come to be played: those in hands and in the pile."""
        found: list[list[int]] = [[] for _ in range(self.suits * self.ranks)]
        for card in range(self.drawn):
            if card in self.seat_of:
                found[self.faces[card]].append(card)
        for card in range(self.drawn, len(self.faces)):
            found[self.faces[card]].append(card)
        return tuple(map(tuple, found))


class PositionReader:
    """Positions of one System, if it has what a position is made of."""

    def __init__(self, game: Game, players: int | None) -> None:
        self.game = game
        self.players = players
        self.compiled = game.compiled(players)
        self.system = self.compiled.system
        self.face_numbers = _face_numbers(self.system)
        self.has_last_round = any(end.name == LAST_ROUND for end in self.system.ends)

    def start(self, deal: Sequence[int]) -> Position:
        """The first position of a deal, given by face numbers as the System has them."""
        return self.read(self.game.start(self.players, deal))

    def read(self, state: State) -> Position:
        values = state.spelt_out.values
        place = self.system.variable("place").type
        shown = {value: show_value(place, value) for value in type_values(place)}
        places = [shown[value] for value in cast("tuple[int, ...]", values["place"])]
        drawn, turn, tokens, mistakes, turns_left = (cast(int, values[name]) for name in NUMBERS)
        faces = tuple(self.face_numbers[face] for face in state.dealt[0])
        deck = cast(Deck, self.system.deck)
        suits, ranks = (len(type_values(kind)) for _, kind in deck.attributes)
        first_rank = type_values(deck.attributes[1][1])[0]
        players = len(type_values(self.system.variable("turn").type))
        heights = [0] * suits
        for card, at in enumerate(places):
            heights[faces[card] // ranks] += at == "fireworks"
        first = self.compiled.interpreter.start(tuple(state.dealt[0])).values
        return Position(
            faces,
            suits,
            ranks,
            first_rank,
            cast(int, first["drawn"]) // players,
            tuple(tuple(c for c, at in enumerate(places) if at == f"hand({seat})") for seat in range(players)),
            tuple(heights),
            drawn,
            turn,
            turns_left,
            tokens,
            type_values(self.system.variable("blue_left").type)[-1],
            type_values(self.system.variable("red_spent").type)[-1] - mistakes,
        )


def reader(game: Game, players: int | None) -> PositionReader | None:
    """None if the rules have no such positions: other variables, another deck, other places for cards."""
    system = game.system(players)
    names = {var.name for var in system.variables}
    if system.deck is None or not names.issuperset(("place", *NUMBERS)):
        return None
    if tuple(name for name, _ in system.deck.attributes) != ATTRIBUTES:
        return None
    turn = system.variable("turn").type
    count = dict(system.parameters).get("players") if players is None else players
    places = {*(Constructor(name, ()) for name in PLACES), Constructor("hand", (turn,))}
    match system.variable("place").type:
        case UnionType(constructors=known) if set(known) == places and count in (None, len(type_values(turn))):
            return PositionReader(game, players)
    return None


def _face_numbers(system: System) -> tuple[int, ...]:
    deck = cast(Deck, system.deck)
    suits, ranks = (type_values(kind) for _, kind in deck.attributes)
    return tuple((suit - suits[0]) * len(ranks) + rank - ranks[0] for suit, rank in deck.faces)
