"""What players reckon with: the most points that are still within reach, and how many turns may pass without one."""

from __future__ import annotations

from dataclasses import dataclass

from hanabi_formal.api import Game, State
from hanabi_formal.roles.entries import number_variable, within_reach


@dataclass(frozen=True)
class Figures:
    """None where the rules have no such thing."""

    reachable_max: int | None
    pace: int | None


class Reckoner:
    """The figures of states of one game: the most that is within reach is what the rules themselves say."""

    def __init__(self, game: Game, players: int | None) -> None:
        system = game.system(players)
        reach = within_reach(system)
        self._most = game.compiled(players).measure(reach) if reach is not None else None
        self._players = players
        self._cards = system.deck.sort.size if system.deck is not None else 0
        self._drawn = number_variable(system, "drawn")

    def of(self, state: State, points: int) -> Figures:
        """`points` are those made so far, whatever the game is worth at its end."""
        if self._most is None:
            return Figures(None, None)
        most = int(self._most(state.dealt, state.packed))
        if self._drawn is None or self._players is None:
            return Figures(most, None)
        return Figures(most, points + self._cards - state.value(self._drawn) + self._players - most)
