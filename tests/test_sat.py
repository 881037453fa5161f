"""Deals as clauses: they say what the executor says, decide what exhaustive search decides, and prove it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from executor_laws import write_game
from hanabi_formal.api import load
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.formats.deals import shuffled
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.run.drivers import skilled_driver
from hanabi_formal.run.interpret import Interpreter, Snapshot
from hanabi_formal.sat.formula import cnf
from hanabi_formal.sat.question import ask
from random_games import random_game
from small_decks import SPECS, Comparison, Deck, decks, load_deck
from small_games import GAMES, text_of
from unrolling_laws import Tally, agree, by_chance

OTHER_GAMES = Path(__file__).parent / "games"
LONG = {"more_than_64_values", "a_long_match", "quantifiers_nested_deeply", "relation_between_cards"}


def deal_of(compiled: Compiled, seed: int) -> tuple[int, ...]:
    return tuple(shuffled(compiled.system, seed)) if compiled.system.deck is not None else ()


# ---- clauses and executor ----------------------------------------------------------------------------
@pytest.mark.parametrize("name", [n if n not in LONG else pytest.param(n, marks=pytest.mark.slow) for n in GAMES])
def test_small_games(name: str, tmp_path: Path) -> None:
    compiled = write_game(tmp_path, text_of(name)).compiled()
    agree(compiled, deal_of(compiled, 1), by_chance(compiled, 1), Tally(), most=10)


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_small_games_at_length(name: str, tmp_path: Path) -> None:
    compiled = write_game(tmp_path, text_of(name)).compiled()
    for seed in range(5):
        agree(compiled, deal_of(compiled, seed), by_chance(compiled, seed), Tally(), most=30)


def random_games(seeds: range, folder: Path) -> Tally:
    tally = Tally()
    for seed in seeds:
        try:
            compiled = write_game(folder, random_game(seed)).compiled()
        except Rejected:
            continue
        agree(compiled, deal_of(compiled, seed), by_chance(compiled, seed), tally, most=12)
    return tally


def test_random_games(tmp_path: Path) -> None:
    assert random_games(range(9), tmp_path).steps > 20


@pytest.mark.parametrize("seed", [259, 267])
def test_a_place_that_one_move_writes_twice(seed: int, tmp_path: Path) -> None:
    """Loops that write the same again and again: so many writers are not so many moves."""
    assert random_games(range(seed, seed + 1), tmp_path).games == 1


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(10))
def test_more_random_games(batch: int, tmp_path: Path) -> None:
    assert random_games(range(9 + 30 * batch, 39 + 30 * batch), tmp_path).steps > 50


@pytest.mark.parametrize(
    ("spec", "players"), [("base", 2), ("expert", 3), ("tricks.hrl", 3), ("solitaire_relaxed.hrl", None)]
)
def test_games_in_play(spec: str, players: int | None) -> None:
    compiled = load(str(OTHER_GAMES / spec) if spec.endswith(".hrl") else spec).compiled(players)
    tally = Tally()
    agree(compiled, deal_of(compiled, 1), skilled_driver(compiled, 1, 0.1), tally, most=12)
    assert tally.steps >= 10


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "players"),
    [
        ("base", 2),
        ("base", 5),
        ("rainbow", 3),
        ("timed", 2),
        ("expert", 4),
        ("difficulty", 5),
        ("avalanche", 2),
        ("tricks.hrl", 3),
    ],
)
def test_whole_games(spec: str, players: int) -> None:
    """Together with the small games: more than ten thousand steps."""
    compiled = load(str(OTHER_GAMES / spec) if spec.endswith(".hrl") else spec).compiled(players)
    tally, seed = Tally(), 0
    while tally.steps < 1200:
        deviation = (0.05, 0.15, 0.5)[seed % 3]
        agree(compiled, deal_of(compiled, seed), skilled_driver(compiled, seed, deviation), tally, most=120)
        seed += 1
    assert len(tally.ends) > 1


# ---- clauses and exhaustive search -------------------------------------------------------------------
@pytest.mark.parametrize("spec", SPECS)
def test_small_decks(spec: str, tmp_path: Path) -> None:
    comparison = Comparison(Deck(spec, 2, None), tmp_path)
    for seed in (0, 1):
        comparison.compare(seed)


@pytest.mark.parametrize(
    "ruling", [("draw_on_end", "yes"), ("hopeless", "stops"), ("stuck", "skipped"), ("loss_score", "sum")], ids="=".join
)
def test_rulings(ruling: tuple[str, str], tmp_path: Path) -> None:
    Comparison(Deck("base", 2, ruling), tmp_path).compare(1)


def test_a_move_whose_literal_is_negative(tmp_path: Path) -> None:
    """Where only one move is left, its literal is the one that the game is on, and that may be a negation."""
    Comparison(Deck("expert", 2, ("draw_after_fit", "no")), tmp_path).compare(3)


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_many_small_decks(spec: str, tmp_path: Path) -> None:
    """Five hundred deals for each specification, every ruling at each of its values."""
    several = list(decks(spec))
    for deck in several:
        comparison = Comparison(deck, tmp_path)
        for seed in range(-(-500 // len(several))):
            comparison.compare(seed)


# ---- answers -----------------------------------------------------------------------------------------
def small_deal(tmp_path: Path, seed: int) -> tuple[Compiled, tuple[int, ...], Snapshot]:
    compiled = load_deck(Deck("base", 2, None), tmp_path).compiled(2)
    faces = deal_of(compiled, seed)
    return compiled, faces, Interpreter(compiled.system).start(faces)


def test_actions_lead_to_the_goal(tmp_path: Path) -> None:
    compiled, faces, start = small_deal(tmp_path, 1)
    answer = ask(compiled.system, faces, start, 5, budget=10_000)
    assert answer.verdict == "reached"
    interpreter, state = compiled.interpreter, start
    for name, args in answer.actions:
        state = interpreter.step(state, faces, Instance(name, args)).after
    assert state.end
    assert interpreter.score(state, faces) >= 5


@pytest.mark.parametrize("goal", [5, 7])
def test_second_opinion(goal: int, tmp_path: Path) -> None:
    compiled, faces, start = small_deal(tmp_path, 1)
    found = {
        engine: ask(compiled.system, faces, start, goal, budget=50_000, engine=engine) for engine in ("cadical", "z3")
    }
    assert {answer.verdict for answer in found.values()} == {"reached" if goal == 5 else "impossible"}


def test_a_goal_beyond_all_scores_needs_no_search() -> None:
    compiled = load("base").compiled(2)
    faces = deal_of(compiled, 1)
    answer = ask(compiled.system, faces, Interpreter(compiled.system).start(faces), 51, budget=1)
    assert (answer.verdict, answer.conflicts) == ("impossible", 0)


def test_a_game_that_is_over(tmp_path: Path) -> None:
    compiled, faces, state = small_deal(tmp_path, 1)
    while not state.end:
        state = compiled.interpreter.step(state, faces, compiled.interpreter.legal(state, faces)[-1]).after
    score = compiled.interpreter.score(state, faces)
    assert ask(compiled.system, faces, state, score, budget=10).verdict == "reached"
    assert ask(compiled.system, faces, state, score + 1, budget=10, proof=True).verdict == "impossible"


def test_a_spent_budget_is_told(tmp_path: Path) -> None:
    compiled, faces, start = small_deal(tmp_path, 1)
    answer = ask(compiled.system, faces, start, 7, budget=5)
    assert (answer.verdict, answer.actions) == ("undecided", ())
    assert answer.conflicts < 100


ENDLESS = """game endless {
  var n : 0..3
  start { n = 0 }
  action on() { n' = (n + 1) % 3 }
  end three over when n == 3
  score = n
}
"""


def test_a_game_without_end_is_given_up(tmp_path: Path) -> None:
    system = write_game(tmp_path, ENDLESS).system()
    assert ask(system, (), Interpreter(system).start(()), 1, budget=1000).verdict in ("undecided", "impossible")


WON_IN_TIME = {
    "won before a late end": """game won {
  var x : Bool
  var n : 0..3
  start { x = false ; n = 0 }
  action win() when n == 0 { x' = true ; n' = 2 }
  action no() when n == 0 { n' = 1 }
  end good won when x
  end bad late lost when n == 2 score 0
  score = 1
}
""",
    "won before all that could follow was lost": """game won {
  var x : Bool
  var n : 0..3
  start { x = false ; n = 0 }
  action win() when n == 0 { x' = true ; n' = 1 }
  action no() when n == 0 { n' = 1 }
  action p() when n == 1 { n' = 2 }
  action q() when n == 1 { n' = 3 }
  end two lost when n == 2 score 0
  end three lost when n == 3 score 0
  end good won when x
  score = 1
}
""",
    "won though one might wait for ever": """game won {
  var n : 0..1
  start { n = 0 }
  action wait() { }
  action press() { n' = 1 }
  end good won when n == 1
  score = n
}
""",
}


@pytest.mark.parametrize("name", WON_IN_TIME)
def test_what_is_won_in_time_is_won(name: str, tmp_path: Path) -> None:
    """An end that would be bad says nothing of a game that is over by then."""
    system = write_game(tmp_path, WON_IN_TIME[name]).system()
    for engine in ("cadical", "z3"):
        assert ask(system, (), Interpreter(system).start(()), 1, budget=1000, engine=engine).verdict == "reached"


# ---- formulas ----------------------------------------------------------------------------------------
PRINT_DIGEST = """
from hanabi_formal.api import load
from hanabi_formal.formats.deals import shuffled
from hanabi_formal.run.interpret import Interpreter
from hanabi_formal.sat.formula import cnf
system = load("base").system(2)
faces = shuffled(system, 3)
found = cnf(system, faces, Interpreter(system).start(faces), 25, 8)
print(found.digest, found.variables, len(found.clauses))
"""


def test_formulas_are_the_same_in_every_process() -> None:
    found = {
        subprocess.run(
            [sys.executable, "-c", PRINT_DIGEST],
            env={**os.environ, "PYTHONHASHSEED": seed},
            text=True,
            capture_output=True,
            check=True,
            timeout=120,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_formulas_differ_with_what_is_asked(tmp_path: Path) -> None:
    compiled, faces, start = small_deal(tmp_path, 1)
    digests = {cnf(compiled.system, faces, start, goal, many).digest for goal in (5, 6) for many in (9, 10)}
    other = cnf(compiled.system, faces[::-1], start, 5, 9).digest
    assert len(digests | {other}) == 5


def test_size() -> None:
    """Fifty cards: 55,000 clauses for forty steps, 135,000 for seventy."""
    system = load("base").system(2)
    faces = shuffled(system, 1)
    assert len(cnf(system, faces, Interpreter(system).start(faces), 25, 40).clauses) < 55_000


# ---- interrupts --------------------------------------------------------------------------------------
LONG_QUESTION = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from hanabi_formal.api import load
from hanabi_formal.formats.deals import shuffled
from hanabi_formal.run.interpret import Interpreter
from hanabi_formal.sat.solvers import Cadical
holes = 12
at = lambda pigeon, hole: pigeon * holes + hole + 1
clauses = [[at(p, h) for h in range(holes)] for p in range(holes + 1)]
clauses += [[-at(p, h), -at(q, h)] for h in range(holes) for p in range(holes + 1) for q in range(p)]
solver = Cadical(clauses, traced=True)
print("asked", flush=True)
try:
    solver.solve(10**9)
except KeyboardInterrupt:
    solver.close()
    print("stopped", flush=True)
"""


def test_interrupt() -> None:
    asked = subprocess.Popen([sys.executable, "-c", LONG_QUESTION], stdout=subprocess.PIPE, text=True)
    assert asked.stdout is not None
    assert asked.stdout.readline() == "asked\n"
    time.sleep(0.3)
    asked.send_signal(signal.SIGINT)
    told, _ = asked.communicate(timeout=60)
    assert (told, asked.returncode) == ("stopped\n", 0)
