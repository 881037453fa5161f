"""A moment of a game whose whole deal is known, in the words that arguments about deals use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from hanabi_formal.api import Game, State
from hanabi_formal.kernel.system import Deck, System
from hanabi_formal.kernel.types import type_values
from hanabi_formal.roles.entries import Undeclared, has_last_round
from hanabi_formal.roles.table import Table
from hanabi_formal.run.compiler.layout import bits_in


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

    def __init__(self, game: Game, players: int | None, table: Table) -> None:
        self.game = game
        self.players = players
        self.compiled = game.compiled(players)
        self.system = self.compiled.system
        self.table = table
        self.face_numbers = _face_numbers(self.system)
        self.has_last_round = has_last_round(self.system, table.roles)

    def start(self, deal: Sequence[int]) -> Position:
        """The first position of a deal, given by face numbers as the System has them."""
        return self.read(self.game.start(self.players, deal))

    def read(self, state: State) -> Position:
        table, packed = self.table, state.packed
        faces = tuple(self.face_numbers[face] for face in state.dealt[0])
        deck = cast(Deck, self.system.deck)
        suits, ranks = (len(type_values(kind)) for _, kind in deck.attributes)
        heights = [0] * suits
        for card in bits_in(table.fireworks(packed)):
            heights[faces[card] // ranks] += 1
        assert table.countdown is not None
        return Position(
            faces,
            suits,
            ranks,
            type_values(deck.attributes[1][1])[0],
            table.drawn(self.compiled.start(state.dealt)) // len(table.hands),
            tuple(hand(packed) for hand in table.hands),
            tuple(heights),
            table.drawn(packed),
            table.turn(packed),
            table.countdown(packed),
            table.blue(packed),
            table.most_blue,
            table.most_red - table.red(packed),
        )


def reader(game: Game, players: int | None) -> PositionReader | None:
    """None if the rules have no such positions: other variables, another deck, other places for cards."""
    try:
        table = Table(game.compiled(players))
    except Undeclared:
        return None
    system, roles = game.system(players), table.roles
    count = dict(system.parameters).get("players") if players is None else players
    known = {roles.pile, roles.fireworks, roles.discards, *roles.hands}
    whole = len(known) == 3 + len(roles.hands) == len(type_values(system.variable(roles.place).type))
    if not whole or roles.countdown is None or count not in (None, len(roles.hands)):
        return None
    return PositionReader(game, players, table)


def _face_numbers(system: System) -> tuple[int, ...]:
    deck = cast(Deck, system.deck)
    suits, ranks = (type_values(kind) for _, kind in deck.attributes)
    return tuple((suit - suits[0]) * len(ranks) + rank - ranks[0] for suit, rank in deck.faces)
