"""The same rules with one question, or two, decided otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from hanabi_formal.api import Game
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.elaborate.changes import other_values

Choice = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Otherwise:
    """A game, and the rulings in which it differs from the one it was made of."""

    choice: Choice
    game: Game

    def __str__(self) -> str:
        return ", ".join(f"{name}: {value}" for name, value in self.choice)


class OtherRulings:
    """All games that decide otherwise, each made once."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._made: dict[Choice, Game | None] = {}

    def singles(self, players: int | None) -> Iterator[Otherwise]:
        for choice in self._choices(players):
            yield from self._game((choice,), players)

    def pairs(self, players: int | None) -> Iterator[Otherwise]:
        for one, other in combinations(self._choices(players), 2):
            if one[0] != other[0]:
                yield from self._game((one, other), players)

    def _choices(self, players: int | None) -> list[tuple[str, str]]:
        chosen = self.game.system(players).rulings
        return [(name, value) for name, now in chosen for value in other_values(self.game.merged, name, now)]

    def _game(self, choice: Choice, players: int | None) -> Iterator[Otherwise]:
        """Nothing for rulings that do not go together."""
        if choice not in self._made:
            self._made[choice] = with_rulings(self.game, dict(choice))
        made = self._made[choice]
        if made is None:
            return
        try:
            made.system(players)
        except Rejected:
            self._made[choice] = None
            return
        yield Otherwise(choice, made)


def with_rulings(game: Game, chosen: dict[str, str]) -> Game:
    return Game(game.merged, replace(game.settings, rulings={**game.settings.rulings, **chosen}))
