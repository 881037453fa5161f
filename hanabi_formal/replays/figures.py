"""What players reckon with: the most points that are still within reach, and how many turns may pass without one."""

from __future__ import annotations

from dataclasses import dataclass

from hanabi_formal.api import Game, State
from hanabi_formal.elaborate.named import named_definition
from hanabi_formal.judge.arguments.needs import maximum_of as most_points
from hanabi_formal.prove.length.measures import as_number

REACHABLE = "reachable_max"
DRAWN = "drawn"


@dataclass(frozen=True)
class Figures:
    """None where the rules have no such thing."""

    reachable_max: int | None
    pace: int | None


class Reckoner:
    """The figures of states of one game: the most that is within reach is what the rules' own definition says."""

    def __init__(self, game: Game, players: int | None) -> None:
        chosen = game.settings if players is None else game.settings.with_params(players=players)
        found = named_definition(game.merged, chosen, REACHABLE)
        self._players = players
        self._cards = 0
        system = game.system(players)
        self._most = game.compiled(players).predicate(as_number(found)) if found is not None else None
        if system.deck is not None and any(variable.name == DRAWN for variable in system.variables):
            self._cards = system.deck.sort.size

    def of(self, state: State, points: int) -> Figures:
        """`points` are those made so far, whatever the game is worth at its end."""
        if self._most is None:
            return Figures(None, None)
        most = int(self._most(state.dealt, state.packed))
        if not self._cards or self._players is None:
            return Figures(most, None)
        return Figures(most, points + self._cards - state.value(DRAWN) + self._players - most)


def maximum_of(game: Game, players: int | None) -> int | None:
    """The most points that the game has, as its interface says."""
    return most_points(game.system(players))
