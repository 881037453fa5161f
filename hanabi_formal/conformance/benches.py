"""A bench for every kind of game that is tried: numbers of players, whole decks, tiny ones. Each is made once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from hanabi_formal.api import Game
from hanabi_formal.compose.rewording import card_types
from hanabi_formal.conformance.difference import Cause, GameKind, Nonconformance
from hanabi_formal.conformance.menu import Menu
from hanabi_formal.conformance.messages import Implementation, Unsupported
from hanabi_formal.conformance.one_game import Bench, Tally
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.formats.faces import deck_of
from hanabi_formal.kernel.types import EnumType, show_value, type_values

SPARE = 3


class Benches:
    """`known` are the causes that were found so far, and `unsupported` what there are no games of, and why."""

    def __init__(self, game: Game, implementation: Implementation) -> None:
        self.game = game
        self.implementation = implementation
        self.unsupported: dict[GameKind, str] = {}
        self.known: set[Cause] = set()
        self._made: dict[GameKind, Bench | None] = {}
        self._seated: GameKind | None = None

    def bench(self, kind: GameKind) -> Bench | None:
        """None if the implementation has no such game, or our rules have none."""
        if kind not in self._made:
            self._made[kind] = self._make(kind)
        bench = self._made[kind]
        if bench is not None and self._seated != kind:
            bench.sit()
            self._seated = kind
        return bench

    def of(self, found: Nonconformance) -> Bench:
        """The bench at which it was found."""
        bench = self.bench(found.played.kind)
        assert bench is not None, "there is a game of this kind"
        return bench

    def _make(self, kind: GameKind) -> Bench | None:
        try:
            menu = Menu(kind.cut(self.game), kind.players, self.implementation.knows)
            self._seated = None
            bench = Bench(kind, menu, self.implementation, Tally(self.known))
            bench.sit()
        except (Unsupported, Rejected) as problem:
            self.unsupported[kind] = problem.diagnostics[0].message if isinstance(problem, Rejected) else str(problem)
            return None
        self._seated = kind
        return bench

    def tiny(self, players: int) -> Iterator[GameKind]:
        bench = self.bench(GameKind(players))
        if bench is not None:
            yield from tiny_kinds(self.game, players, bench.menu.hand_size)


def tiny_kinds(game: Game, players: int, hand_size: int, most: int = 1) -> Iterator[GameKind]:
    """Small decks with turns enough to complete them, and decks that the deal empties, or all but empties."""
    system = game.system(players)
    suit_type, rank_type = (kind for _, kind in deck_of(system).attributes)
    rank_name = card_types(game.merged, "Card", "Suit", "Rank").get("Rank", "")
    cuttable = not game.settings.cuts and ("range", rank_name) in game.merged.items
    if not cuttable or not isinstance(suit_type, EnumType):
        return
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
