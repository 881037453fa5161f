"""Comparisons for every kind of game that is tried: numbers of players, whole decks, tiny ones. Each is made once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from hanabi_formal.api import Game
from hanabi_formal.compose.rewording import card_types
from hanabi_formal.conformance.comparison import Comparison
from hanabi_formal.conformance.difference import Cause, Cuts
from hanabi_formal.conformance.menu import Menu
from hanabi_formal.conformance.messages import Implementation, Unsupported
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.formats.faces import deck_of
from hanabi_formal.kernel.types import EnumType, show_value, type_values

SPARE = 3


@dataclass(frozen=True)
class GameKind:
    """A number of players, and what the deck is cut down to."""

    players: int
    cuts: Cuts = ()

    def __str__(self) -> str:
        cut = "".join(f", {name} {' '.join(values)}" for name, values in self.cuts)
        return f"{self.players} players{cut}"


class Benches:
    def __init__(self, game: Game, implementation: Implementation) -> None:
        self.game = game
        self.implementation = implementation
        self.unsupported: dict[GameKind, str] = {}
        self.known: set[Cause] = set()
        self._comparisons: dict[GameKind, Comparison | None] = {}
        self._seated: GameKind | None = None

    def comparison(self, kind: GameKind) -> Comparison | None:
        """None if the implementation has no such game, or our rules have none."""
        if kind not in self._comparisons:
            self._comparisons[kind] = self._made(kind)
        comparison = self._comparisons[kind]
        if comparison is not None and self._seated != kind:
            comparison.sit()
            self._seated = kind
        return comparison

    def _made(self, kind: GameKind) -> Comparison | None:
        try:
            menu = Menu(self.cut(kind), kind.players, self.implementation.knows)
            self._seated = None
            comparison = Comparison(menu, self.implementation, kind.cuts, self.known)
            comparison.sit()
        except Unsupported as problem:
            self.unsupported[kind] = str(problem)
            return None
        except Rejected as problem:
            self.unsupported[kind] = problem.diagnostics[0].message
            return None
        self._seated = kind
        return comparison

    def cut(self, kind: GameKind) -> Game:
        return cut(self.game, kind)

    def tiny(self, players: int) -> Iterator[GameKind]:
        comparison = self.comparison(GameKind(players))
        if comparison is not None:
            yield from tiny_kinds(self.game, players, comparison.menu.hand_size)


def cut(game: Game, kind: GameKind) -> Game:
    """The game with the deck that this kind has."""
    if not kind.cuts:
        return game
    return Game(game.merged, replace(game.settings, cuts={**game.settings.cuts, **dict(kind.cuts)}))


def tiny_kinds(game: Game, players: int, hand_size: int, most: int = 1) -> Iterator[GameKind]:
    """Small decks with turns enough to complete them, and decks that the deal empties, or all but empties."""
    system = game.system(players)
    suit_type, rank_type = (kind for _, kind in deck_of(system).attributes)
    rank_name = card_types(game.merged, "Card", "Suit", "Rank").get("Rank", "")
    cuttable = isinstance(suit_type, EnumType) and ("range", rank_name) in game.merged.items
    if game.settings.cuts or not cuttable:
        return
    assert isinstance(suit_type, EnumType)
    labels = suit_type.labels
    numbers = [show_value(rank_type, value) for value in type_values(rank_type)]
    dealt = players * hand_size
    many = dict(zip(deck_of(system).faces, deck_of(system).copies, strict=True))
    small: list[tuple[int, GameKind]] = []
    tiny: list[GameKind] = []
    for colours, top in product(range(1, len(labels) + 1), range(2, len(numbers) + 1)):
        # The highest rank has its own number of copies wherever the ranks are cut.
        kept = [int(number) for number in (*numbers[: top - 1], numbers[-1])]
        spare = sum(many.get(face, 0) for face in product(range(colours), kept)) - dealt
        cuts: list[tuple[str, tuple[str, ...]]] = []
        if colours < len(labels):
            cuts.append((suit_type.name, labels[:colours]))
        if top < len(numbers):
            cuts.append((rank_name, tuple(numbers[:top])))
        kind = GameKind(players, tuple(cuts))
        if 0 <= spare <= SPARE:
            tiny.append(kind)
        elif cuts and spare + players > colours * top:
            small.append((spare, kind))
    yield from [kind for _, kind in sorted(small, key=lambda item: item[0])[:most]]
    yield from tiny
