"""Random legal Hanabi play in open_spiel (pyspiel), driven from Python as fast as it can fairly be driven.

Sampled: every card is drawn in Python from `chance_outcomes()`, the way open_spiel is meant to be driven.
Forced: whole decks are shuffled first, inside the timed part, and fed to the chance nodes.
A move is a decision of a player; the cards dealt are not counted.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

COLOURS, RANKS, COPIES = 5, 5, (3, 2, 2, 2, 1)
DECK = [colour * RANKS + rank for colour in range(COLOURS) for rank, n in enumerate(COPIES) for _ in range(n)]
CHANCE, TERMINAL = -1, -4  # pyspiel.PlayerId, as current_player() gives them
BLOCK = 1000  # decks shuffled by one call


@dataclass(frozen=True)
class Result:
    """CPU seconds taken by so many finished games, and the moves made in them."""

    seconds: float
    games: int
    moves: int

    @property
    def games_per_second(self) -> float:
        return self.games / self.seconds

    @property
    def moves_per_game(self) -> float:
        return self.moves / self.games


def hand_size(players: int) -> int:
    return 5 if players <= 3 else 4


def load(players: int, red_tokens: int) -> Any:
    """The pyspiel game, with its smallest observations, though none is ever asked for."""
    try:
        import pyspiel  # type: ignore[import-not-found, unused-ignore]
    except ImportError as missing:
        raise ImportError("this benchmark needs open_spiel: pip install open_spiel==2.0.2") from missing
    if not 2 <= players <= 5:
        raise ValueError(f"players must be 2 to 5, not {players}")
    sizes = {"players": players, "colors": COLOURS, "ranks": RANKS, "hand_size": hand_size(players)}
    tokens = {"max_information_tokens": 8, "max_life_tokens": red_tokens}
    return pyspiel.load_game("hanabi", {**sizes, **tokens, "observation_type": "minimal"})


def shuffled_decks(count: int, seed: int) -> Iterator[list[int]]:
    """`count` shuffled decks, in blocks by numpy: 1.3 µs a deck, where `random.shuffle` takes 10."""
    import numpy  # open_spiel requires it

    rng = numpy.random.default_rng(seed)
    for start in range(0, count, BLOCK):
        yield from rng.permuted(numpy.tile(DECK, (min(BLOCK, count - start), 1)), axis=1).tolist()


def play_forced(game: Any, dealt: int, count: int, seed: int) -> int:
    rand, new, moves = random.Random(seed).random, game.new_initial_state, 0
    for deck in shuffled_decks(count, seed):
        state = new()
        apply, legal, chance, draw = state.apply_action, state.legal_actions, state.is_chance_node, deck.pop
        for _ in range(dealt):
            apply(draw())
        while acts := legal():  # empty once the game is over
            apply(acts[int(rand() * len(acts))])
            moves += 1
            if chance():
                apply(draw())
    return moves


def play_sampled(game: Any, count: int, seed: int) -> int:
    rand, new, moves = random.Random(seed).random, game.new_initial_state, 0
    for _ in range(count):
        state = new()
        apply, legal, to_move, outcomes = (
            state.apply_action,
            state.legal_actions,
            state.current_player,
            state.chance_outcomes,
        )
        while (player := to_move()) != TERMINAL:
            if player != CHANCE:
                acts = legal()
                apply(acts[int(rand() * len(acts))])
                moves += 1
                continue
            left = rand()
            for card, probability in outcomes():
                left -= probability
                if left < 0:
                    apply(card)
                    break  # should rounding leave a rest, the loop draws again
    return moves


def games(players: int, red_tokens: int, count: int, seed: int, forced: bool) -> Result:
    """Play `count` random games to their ends; imports and building the game are not timed, shuffling is."""
    game, dealt = load(players, red_tokens), players * hand_size(players)
    next(shuffled_decks(1, seed))  # the first call imports numpy
    start = time.process_time()
    moves = play_forced(game, dealt, count, seed) if forced else play_sampled(game, count, seed)
    return Result(time.process_time() - start, count, moves)


def mean_moves(players: int, red_tokens: int, count: int = 2000, seed: int = 0, forced: bool = True) -> float:
    return games(players, red_tokens, count, seed, forced).moves_per_game


if __name__ == "__main__":
    print("players  red  deck      games/s  moves/game   (best of 5)")
    for players, red, forced in [(p, r, f) for p in (2, 5) for r in (3, 100) for f in (False, True)]:
        runs = [games(players, red, 4000 if red == 3 else 1500, seed, forced) for seed in range(5)]
        best, moves = max(r.games_per_second for r in runs), sum(r.moves_per_game for r in runs) / len(runs)
        print(f"{players:7}  {red:3}  {'forced ' if forced else 'sampled'}  {best:8,.0f}  {moves:10.1f}")
