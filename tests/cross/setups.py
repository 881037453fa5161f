"""Which game is played: a composition of specifications with its settings, for both engines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from hanabi_formal.api import Game
from hanabi_formal.compose.merge import Merged, merge
from hanabi_formal.compose.settings import Settings
from hanabi_formal.compose.units import compose
from hanabi_formal.reference import EDITIONS, SUITS, VARIANTS, Rules, rules_for
from hanabi_formal.run.compiler.compile import Compiled

# spec/difficulty.hrl plays with these numbers unless told otherwise; the reference engine wants them named.
DIFFICULTY = {"red_tokens": 2, "extra_blue": 1}

OFFERS: dict[str, tuple[str, ...]] = {
    "no": ("expert",),
    "nl": ("difficulty", "expert", "avalanche", "rainbow"),
    "en": ("expert", "timed", "avalanche"),
    "sv": ("expert", "timed", "avalanche"),
    "fi": ("expert", "timed", "avalanche"),
}
PRINTED = tuple(spec for name, offered in OFFERS.items() for spec in (name, *(f"{name}+{v}" for v in offered)))
"""The five editions, alone and with each variant they offer."""


@dataclass(frozen=True)
class Setup:
    """One game before the deal. `spec` may name rule files too: those change the specification alone."""

    spec: str = "base"
    players: int = 2
    rulings: tuple[tuple[str, str], ...] = ()
    params: tuple[tuple[str, int], ...] = ()
    suits: tuple[str, ...] = ()  # all of the game's, if empty
    top: int = 5

    def __str__(self) -> str:
        return " ".join((self.spec, *self._settings()))

    @property
    def seed(self) -> str:
        """The setup without the names of rule files, which lie in a new folder on every run."""
        words = [word for word in self.spec.split("+") if not word.endswith(".hrl")]
        return " ".join(("+".join(words), *self._settings()))

    def _settings(self) -> list[str]:
        found = [f"players={self.players}", *(f"{name}={value}" for name, value in (*self.rulings, *self.params))]
        found += [f"Suit={','.join(self.suits)}"] if self.suits else []
        return found + ([f"top={self.top}"] if self.top < 5 else [])

    @property
    def variants(self) -> tuple[str, ...]:
        return tuple(word for word in self.spec.split("+") if word in VARIANTS)

    def compiled(self) -> Compiled:
        return _compiled(self)

    def game(self) -> Game:
        cuts: dict[str, tuple[str, ...]] = {}
        if self.suits:
            cuts["Suit"] = self.suits
        if self.top < 5:
            cuts["Rank"] = tuple(str(rank) for rank in range(1, self.top + 1))
        return Game(_merged(self.spec), Settings(dict(self.params), dict(self.rulings), cuts))

    def rules(self) -> Rules:
        first = self.spec.split("+")[0]
        numbers: Mapping[str, int] = DIFFICULTY if "difficulty" in self.variants else {}
        return rules_for(
            first if first in EDITIONS else None,
            self.variants,
            self.players,
            {**numbers, **dict(self.params), **dict(self.rulings), "top": self.top},
            suits=self.suits or SUITS[:5],
        )


@cache
def _merged(spec: str) -> Merged:
    return merge(compose(spec))


@lru_cache(maxsize=64)
def _compiled(setup: Setup) -> Compiled:
    return setup.game().compiled(setup.players)
