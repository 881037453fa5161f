"""Random legal play against open_spiel, in one process and in turns, as ratios.

    python bench/random_play.py [--rounds 9] [--games 800] [--players 2 5]

Each round plays the same number of games on every side, one side after the other, so that a slow moment of the machine
hits all of them; what is reported is the median over the rounds of our games a second over theirs.
Both sides shuffle inside the timed part, with the same numpy generator. Rules are those open_spiel follows.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable

import numpy
import peer_open_spiel

import hanabi_formal
from hanabi_formal.formats.faces import sorted_faces
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.run.compiler.compile import Compiled

OTHERS = ["base", "rainbow", "avalanche+expert+timed", "nl", "hanab_live", "tests/games/solitaire.hrl"]
Playing = Callable[[Compiled, list[list[int]], int], int]


def shuffled_decks(compiled: Compiled, count: int, seed: int) -> list[list[int]]:
    faces = numpy.array(sorted_faces(compiled.system), dtype=numpy.int16)
    decks: list[list[int]] = numpy.random.default_rng(seed).permuted(numpy.tile(faces, (count, 1)), axis=1).tolist()
    return decks


def with_list(compiled: Compiled, decks: list[list[int]], seed: int) -> int:
    """List the legal actions, choose one, step."""
    uniform = random.Random(seed).random
    deal, start, legal, step = compiled.deal, compiled.start, compiled.legal, compiled.step
    moves = 0
    for faces in decks:
        dealt = deal(faces)
        state = start(dealt)
        while actions := legal(dealt, state):  # empty once the game is over
            state = step(dealt, state, actions[int(uniform() * len(actions))])
            moves += 1
    return moves


def with_pick(compiled: Compiled, decks: list[list[int]], seed: int) -> int:
    """Pick one legal action without listing them, step."""
    uniform = random.Random(seed).random
    deal, start, pick, step = compiled.deal, compiled.start, compiled.pick, compiled.step
    moves = 0
    for faces in decks:
        dealt = deal(faces)
        state = start(dealt)
        while not state[-1]:
            state = step(dealt, state, pick(dealt, state, uniform()))
            moves += 1
    return moves


def with_playout(compiled: Compiled, decks: list[list[int]], seed: int) -> int:
    """Whole games at once: the same games as with `pick`, but only their last states are made, and no moves counted."""
    uniform = random.Random(seed).random
    deal, start, playout = compiled.deal, compiled.start, compiled.playout
    for faces in decks:
        dealt = deal(faces)
        playout(dealt, start(dealt), uniform)
    return 0


def games_a_second(play: Playing, compiled: Compiled, count: int, seed: int) -> float:
    began = time.process_time()
    play(compiled, shuffled_decks(compiled, count, seed), seed)
    return count / (time.process_time() - began)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=9)
    options.add_argument("--games", type=int, default=800)
    options.add_argument("--players", type=int, nargs="+", default=[2, 5])
    options.add_argument("--spec", default="base")
    options.add_argument("--others", nargs="*", default=OTHERS, help="specifications to hold against the interpreter")
    given = options.parse_args()
    against_open_spiel(given)
    against_interpreter(given)


def against_open_spiel(given: argparse.Namespace) -> None:
    print(
        "| players | red tokens | list / sampled | list / forced | pick / forced | playout / forced "
        "| ours, list | ours, playout | theirs, forced |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    median = statistics.median
    for players in given.players:
        for red_tokens in (3, 100):
            params = {"red_tokens": red_tokens}
            rulings = {"empty_hint": "refused"}
            compiled = hanabi_formal.load(given.spec, params=params, rulings=rulings).compiled(players)
            assert compiled.playout  # made before the clock runs
            rows: list[tuple[float, float, float, float, float]] = []
            for seed in range(given.rounds):
                listed = games_a_second(with_list, compiled, given.games, seed)
                forced = peer_open_spiel.games(players, red_tokens, given.games, seed, True).games_per_second
                picked = games_a_second(with_pick, compiled, given.games, seed)
                played = games_a_second(with_playout, compiled, given.games, seed)
                sampled = peer_open_spiel.games(players, red_tokens, given.games, seed, False).games_per_second
                rows.append((listed, picked, played, forced, sampled))
            lists, _, playouts, forceds, _ = (median(column) for column in zip(*rows, strict=True))
            print(
                f"| {players} | {red_tokens} | {median(row[0] / row[4] for row in rows):.2f} "
                f"| {median(row[0] / row[3] for row in rows):.2f} | {median(row[1] / row[3] for row in rows):.2f} "
                f"| {median(row[2] / row[3] for row in rows):.2f} "
                f"| {lists:,.0f}/s | {playouts:,.0f}/s | {forceds:,.0f}/s |",
                flush=True,
            )


def against_interpreter(given: argparse.Namespace) -> None:
    """Other rules, other games: what compilation gains for each, over the plain reading of the same System."""
    print("\n| specification | list / interpreter | pick / list | playout / list | ours, list, moves a second |")
    print("|---|---|---|---|---|")
    median = statistics.median
    for spec in given.others:
        compiled = hanabi_formal.load(spec).compiled()
        assert compiled.playout
        rows = []
        for seed in range(5):
            decks = shuffled_decks(compiled, given.games, seed) if compiled.system.deck else [[]] * given.games
            moves = with_list(compiled, decks, seed)
            seconds = []
            for play in (with_list, with_pick, with_playout):  # the same games, for all choose alike
                began = time.process_time()
                play(compiled, decks, seed)
                seconds.append((time.process_time() - began) / moves)
            began = time.process_time()
            slow = interpreted(compiled, decks[:3], seed)
            rows.append((*seconds, (time.process_time() - began) / slow))
        print(
            f"| {spec} | {median(row[3] / row[0] for row in rows):.0f} | {median(row[0] / row[1] for row in rows):.2f} "
            f"| {median(row[0] / row[2] for row in rows):.2f} | {1 / median(row[0] for row in rows):,.0f} |",
            flush=True,
        )


def interpreted(compiled: Compiled, decks: list[list[int]], seed: int) -> int:
    uniform = random.Random(seed).random
    interpreter = compiled.interpreter
    moves = 0
    for deck in decks:
        faces = tuple(deck)
        snapshot = interpreter.start(faces)
        while actions := interpreter.legal(snapshot, faces):
            name, args = actions[int(uniform() * len(actions))]
            snapshot = interpreter.step(snapshot, faces, Instance(name, args)).after
            moves += 1
    return moves


if __name__ == "__main__":
    main()
