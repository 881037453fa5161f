"""The second, naive encoder: it says what the executor says, decides what the encoder proper decides, and confirms every
clause of it; of a broken one it does not."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from pysat.solvers import Cadical195

from executor_laws import write_game
from hanabi_formal.api import load
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.formats.deals import shuffled
from hanabi_formal.kernel.depends import restrict
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.run.faults import Fault
from hanabi_formal.run.interpret import Interpreter, Snapshot
from hanabi_formal.sat.encode.unroll import Unrolling
from hanabi_formal.sat.formula import cnf
from naive_encoder.confirm import Unconfirmed, confirmed
from naive_encoder.naive import Naive, TooLarge
from random_games import random_game
from small_decks import SPECS, Deck, decks, load_deck
from small_games import GAMES, text_of
from test_encoder import some_goal
from test_encoder_mutants import MUTANTS, TABLES, relation
from unrolling_laws import LOW, by_chance, play

SLOWEST = {
    "more_than_64_values",
    "a_long_match",
    "quantifiers_nested_deeply",
    "relation_between_cards",
    "exactly_64_values",
}
QUICK = ("map_as_tuple", "swap_of_cards", "late_ends", "unions_with_two_fields", "many_cards_come_at_once")
OTHERS = [
    name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in sorted(set(GAMES) - SLOWEST)
]


def deal_of(system: System, seed: object = 1) -> tuple[int, ...]:
    return tuple(shuffled(system, str(seed))) if system.deck is not None else ()


# ---- the naive encoder and the executor --------------------------------------------------------------
def told(compiled: Compiled, seed: int, most: int = 8) -> int:
    """A game, told move by move: the same actions are legal, and the state is the same. Gives the number of steps."""
    faces = deal_of(compiled.system, seed)
    played = play(compiled, faces, by_chance(compiled, seed), most)
    if played.states[0].end:
        return 0
    system = restrict(compiled.system)
    naive = Naive(system, faces, played.states[0], LOW)
    said: list[int] = []
    for k, action in enumerate(played.actions):
        naive.step()
        with Cadical195(bootstrap_with=naive.clauses) as solver:
            possible = {
                named for named, literal in naive.actions[k].items() if solver.solve(assumptions=[*said, literal])
            }
            assert action in possible
            assert possible <= played.legal[k]
            faulty = [
                named
                for named in played.legal[k] - possible
                if not at_fault(compiled.system, faces, played.states[k], named)
            ]
            assert faulty == []
            said.append(naive.actions[k][action])
            assert solver.solve(assumptions=said)
            model = set(solver.get_model())
        after = played.states[k + 1]
        assert (naive.live in model) == (not after.end)
        for variable in system.variables:
            value = after.values[variable.name]
            places = [place for place in naive.kinds if place[0] == variable.name]
            for place, number in zip(places, (value,) if isinstance(value, int) else value, strict=True):
                assert [held for held, literal in naive.state[place].items() if literal in model] == [number], place
    return len(said)


def at_fault(system: System, faces: tuple[int, ...], state: Snapshot, named: Instance) -> bool:
    try:
        Interpreter(system).step(state, faces, named)
    except Fault:
        return True
    return False


@pytest.mark.parametrize("name", OTHERS)
def test_naive_and_executor_on_other_games(name: str, tmp_path: Path) -> None:
    compiled = write_game(tmp_path, text_of(name)).compiled()
    for seed in range(2):
        told(compiled, seed)


@pytest.mark.parametrize("spec", SPECS)
def test_naive_and_executor_on_small_decks(spec: str, tmp_path: Path) -> None:
    compiled = load_deck(Deck(spec, 2, None), tmp_path).compiled(2)
    assert sum(told(compiled, seed, 14) for seed in range(2)) > 12


def test_naive_and_executor_on_a_whole_deck() -> None:
    assert told(load("nl").compiled(3), 1, 5) == 5


# ---- both encoders -----------------------------------------------------------------------------------
def same_answers(deck: Deck, folder: Path, seeds: range, goals: tuple[int, ...]) -> set[bool]:
    """Both have clauses that can be met, or neither, for longer and longer games."""
    system = load_deck(deck, folder).system(deck.players)
    answers = set()
    for seed in seeds:
        faces = deal_of(system, f"small {seed}")
        start = Interpreter(system).start(faces)
        for goal in goals:
            naive = Naive(restrict(system), faces, start, goal)
            for horizon in range(1, 15):
                naive.step()
                if horizon % 4 == 2:
                    found = []
                    for clauses in (naive.clauses, cnf(system, faces, start, goal, horizon).clauses):
                        with Cadical195(bootstrap_with=clauses) as solver:
                            found.append(bool(solver.solve()))
                    assert found[0] == found[1], (deck, seed, goal, horizon)
                    answers.add(found[0])
    return answers


def test_same_answers(tmp_path: Path) -> None:
    assert same_answers(Deck("expert", 2, None), tmp_path, range(1), (0, 6)) == {False, True}


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_same_answers_often(spec: str, tmp_path: Path) -> None:
    found = set()
    for deck in decks(spec):
        found |= same_answers(deck, tmp_path, range(1), (3, 5, 6))
    assert True in found


# ---- every clause confirmed --------------------------------------------------------------------------
def confirm(system: System, faces: tuple[int, ...], goal: int, horizon: int) -> int:
    start = Interpreter(system).start(faces)
    if start.end:
        return 0
    found = confirmed(system, faces, start, goal, horizon)
    assert found.digest == cnf(system, faces, start, goal, horizon).digest
    return len(found.clauses)


@pytest.mark.parametrize("spec", [*SPECS, "nl", "timed+rainbow"])
@pytest.mark.sampled(3)
def test_every_clause_is_confirmed(spec: str, tmp_path: Path) -> None:
    system = load_deck(Deck(spec, 2, None), tmp_path).system(2)
    assert confirm(system, deal_of(system), 6, 14) > 4000


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_every_clause_is_confirmed_under_every_ruling(spec: str, tmp_path: Path) -> None:
    for number, deck in enumerate(decks(spec)):
        system = load_deck(deck, tmp_path).system(deck.players)
        for goal in (3, 6):
            assert confirm(system, deal_of(system, number), goal, 16) > 1000


@pytest.mark.parametrize("name", OTHERS)
def test_other_games_are_confirmed(name: str, tmp_path: Path) -> None:
    compiled = write_game(tmp_path, text_of(name)).compiled()
    faces = deal_of(compiled.system)
    confirm(compiled.system, faces, some_goal(compiled, faces), 5)


@pytest.mark.parametrize(
    "seeds",
    [range(3, 6), *(pytest.param(range(first, first + 10), marks=pytest.mark.slow) for first in range(6, 96, 10))],
)
def test_random_rules_are_confirmed(seeds: range, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From any state at all, some of them have millions of variables."""
    monkeypatch.setattr(Naive, "most_variables", 40_000)
    clauses = 0
    for seed in seeds:
        try:
            compiled = write_game(tmp_path, random_game(seed)).compiled()
        except Rejected:
            continue
        faces = deal_of(compiled.system)
        with suppress(TooLarge):
            clauses += confirm(compiled.system, faces, some_goal(compiled, faces), 5)
    assert clauses > 10


def test_the_first_steps_of_a_whole_deck() -> None:
    system = load("base").system(2)
    assert confirm(system, deal_of(system), 25, 6) > 1000


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "players", "goal"), [("base", 2, 25), ("expert", 3, 20), ("nl", 5, 25)])
def test_whole_decks(spec: str, players: int, goal: int) -> None:
    """All clauses of fifty cards and so many steps: three minutes."""
    system = load(spec).system(players)
    assert confirm(system, deal_of(system), goal, 60) > 80_000


def test_games_that_are_over_or_out_of_reach(tmp_path: Path) -> None:
    system = load_deck(Deck("base", 2, None), tmp_path).system(2)
    faces = deal_of(system)
    assert confirm(system, faces, 1000, 5) == 2
    state = Interpreter(system).start(faces)
    while not state.end:
        state = Interpreter(system).step(state, faces, Interpreter(system).legal(state, faces)[-1]).after
    assert [] in confirmed(system, faces, state, 1000, 5).clauses


# ---- broken encoders ---------------------------------------------------------------------------------
def confirm_tables() -> None:
    for name in TABLES:
        table = relation(name)
        confirm(table.system, table.faces, table.goal, 9)


def test_the_tables_are_confirmed() -> None:
    confirm_tables()


@pytest.mark.parametrize("name", MUTANTS)
def test_a_broken_encoder_is_not_confirmed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MUTANTS[name](monkeypatch)
    with pytest.raises((Unconfirmed, AssertionError, KeyError)):
        confirm_tables()


def close_at_once(original: Callable[..., None]) -> Callable[..., None]:
    def init(self: Unrolling, *args: object) -> None:
        original(self, *args)
        self.close(good=False)

    return init


def test_a_game_that_is_given_up_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Unrolling, "__init__", close_at_once(Unrolling.__init__))
    with pytest.raises(Unconfirmed):
        confirm_tables()
