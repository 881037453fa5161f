"""How much a comparison costs: games played by the rules and open_spiel side by side, and the same by open_spiel alone.

The games are skilled ones with deviations; every state is compared, and all that is legal in it. One core.
"""

from __future__ import annotations

import time

from hanabi_formal.api import load
from hanabi_formal.conformance.adapters.open_spiel import OpenSpiel
from hanabi_formal.conformance.difference import GameKind, Nonconformance
from hanabi_formal.conformance.menu import Menu
from hanabi_formal.conformance.one_game import Bench
from hanabi_formal.conformance.styles import DEEP, StyledPlayer

GAMES = 400


class Recording(OpenSpiel):
    """Keeps what was played."""

    def __init__(self) -> None:
        super().__init__()
        self.played: list[tuple[tuple[str, ...], list[int]]] = []

    def start(self, deck: tuple[str, ...]):  # type: ignore[no-untyped-def]
        self.played.append((deck, []))
        return super().start(deck)

    def act(self, move: int):  # type: ignore[no-untyped-def]
        self.played[-1][1].append(move)
        return super().act(move)


def side_by_side(players: int, games: int = GAMES) -> tuple[float, float, float]:
    """Seconds a game side by side, seconds a game of open_spiel alone, and states a game."""
    implementation = Recording()
    game = load("en", rulings={"perfect_in_last_round": "stops"})
    menu = Menu(game, players, implementation.knows)
    bench = Bench(GameKind(players), menu, implementation)
    bench.sit()
    player = StyledPlayer(menu, 1)
    found: list[Nonconformance] = []
    began = time.process_time()
    for number in range(games):
        found += bench.play(player.deal(), player.chooser(DEEP[number % len(DEEP)]))
    both = time.process_time() - began
    assert not found
    alone = OpenSpiel()
    alone.sit(menu.setup)
    began = time.process_time()
    for deck, moves in implementation.played:
        alone.start(deck)
        for move in moves:
            alone.act(move)
    return both / games, (time.process_time() - began) / games, bench.tally.states / games


if __name__ == "__main__":
    print("players  states/game  games/minute  open_spiel alone  ratio")
    for players in (2, 3, 4, 5):
        both, alone, states = min(side_by_side(players) for _ in range(3))
        print(f"{players:7}  {states:11.1f}  {60 / both:12,.0f}  {60 / alone:16,.0f}  {both / alone:5.2f}")
