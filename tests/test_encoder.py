"""Every clause of the unrolled rules is true of every game: shown by Z3 from the step relation, specification by
specification, and for games that are not Hanabi."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
import z3

from encoder_laws import EncoderLaw, Meanings, StepRelation, Tally, check_deal
from executor_laws import write_game
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.formats.deals import shuffled
from hanabi_formal.kernel.system import System
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.run.interpret import Interpreter
from hanabi_formal.smt import translate
from random_games import random_game
from small_decks import RULINGS, Deck, load_deck
from small_games import GAMES, text_of
from unrolling_laws import by_chance, play

SEVERAL = ("base", "expert", "rainbow", "nl", "timed", "difficulty", "timed+rainbow")
QUICK = ("map_as_tuple", "swap_of_cards", "ends_within_cases", "unions_with_two_fields", "no_cards")
SLOWEST = {"more_than_64_values", "a_long_match", "quantifiers_nested_deeply", "relation_between_cards"}


def deal_of(system: System, seed: object = 1) -> tuple[int, ...]:
    return tuple(shuffled(system, str(seed))) if system.deck is not None else ()


def small_deck(deck: Deck, folder: Path, goal: int, seed: object = 1) -> StepRelation:
    system = load_deck(deck, folder).system(deck.players)
    return StepRelation(system, deal_of(system, seed), goal)


def some_goal(compiled: Compiled, faces: tuple[int, ...]) -> int:
    """A score that some games have, and others have not."""
    scores = [
        p.score for seed in range(8) if (p := play(compiled, faces, by_chance(compiled, seed), 40)).score is not None
    ]
    return max(scores, default=0)


def other_game(text: str, folder: Path, steps: int) -> Tally:
    compiled = write_game(folder, text).compiled()
    faces = deal_of(compiled.system)
    relation = StepRelation(compiled.system, faces, some_goal(compiled, faces))
    return check_deal(relation, steps) if not Interpreter(compiled.system).start(faces).end else Tally()


# ---- Hanabi ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("spec", SEVERAL[:5])
@pytest.mark.sampled(1)
def test_every_clause_follows(spec: str, tmp_path: Path) -> None:
    tally = check_deal(small_deck(Deck(spec, 2, None), tmp_path, 6), 3)
    assert tally.clauses > 150
    assert tally.cases > 15


@pytest.mark.slow
@pytest.mark.parametrize(("players", "goal"), [(2, 6), (2, 3), (3, 5)])
@pytest.mark.parametrize("spec", SEVERAL)
def test_every_clause_follows_to_the_end(spec: str, players: int, goal: int, tmp_path: Path) -> None:
    """So many steps that from there on every place may hold all that it ever holds."""
    tally = check_deal(small_deck(Deck(spec, players, None), tmp_path, goal, players), 14)
    assert tally.clauses > 3000


@pytest.mark.slow
@pytest.mark.parametrize(
    "ruling", [(name, value) for name, values in RULINGS.items() for value in values], ids="=".join
)
def test_every_clause_follows_under_every_ruling(ruling: tuple[str, str], tmp_path: Path) -> None:
    assert check_deal(small_deck(Deck("base", 2, ruling), tmp_path, 5), 7).clauses > 400


def test_games_in_play(tmp_path: Path) -> None:
    """From a state on the way, too."""
    relation = small_deck(Deck("base", 2, None), tmp_path, 4)
    played = play(Compiled(relation.system), relation.faces, by_chance(Compiled(relation.system), 3), 4)
    law = EncoderLaw(relation, played.states[-1])
    for _ in range(2):
        law.step()
    assert law.tally.cases > 5


def test_a_goal_beyond_all_scores(tmp_path: Path) -> None:
    relation = small_deck(Deck("base", 2, None), tmp_path, 1000)
    law = EncoderLaw(relation, Interpreter(relation.system).start(relation.faces))
    assert law.unrolled.cnf.clauses == [[1], []]


# ---- other games -------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", QUICK)
def test_other_games(name: str, tmp_path: Path) -> None:
    assert other_game(text_of(name), tmp_path, 2).cases > 1


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(GAMES) - SLOWEST))
def test_all_other_games(name: str, tmp_path: Path) -> None:
    other_game(text_of(name), tmp_path, 4)


def random_rules(seeds: range, folder: Path) -> int:
    cases = 0
    for seed in seeds:
        try:
            cases += other_game(random_game(seed), folder, 3).cases
        except Rejected:
            continue
    return cases


@pytest.fixture
def _written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops over cards one by one, whatever they do."""
    monkeypatch.setattr(translate, "LARGE", 100)


@pytest.mark.usefixtures("_written_out")
def test_random_rules(tmp_path: Path) -> None:
    assert random_rules(range(3), tmp_path) > 5


@pytest.mark.slow
@pytest.mark.usefixtures("_written_out")
@pytest.mark.parametrize("batch", range(10))
def test_more_random_rules(batch: int, tmp_path: Path) -> None:
    assert random_rules(range(3 + 10 * batch, 13 + 10 * batch), tmp_path) > 20


# ---- that the law says something ---------------------------------------------------------------------
@pytest.mark.parametrize("spec", ["base", "expert"])
def test_games_that_are_played_are_games_of_the_law(spec: str, tmp_path: Path) -> None:
    """What the proofs take for granted of a step is so at every step of a real game."""
    relation = small_deck(Deck(spec, 2, None), tmp_path, 0)
    compiled = Compiled(relation.system)
    doings = {doing.named: doing for doing in relation.doings}
    for seed in range(4):
        played = play(compiled, relation.faces, by_chance(compiled, seed), 12)
        law = EncoderLaw(relation, played.states[0])
        for k, action in enumerate(played.actions):
            law.unrolled.step()
            law.described.append((law.unrolled.live, law.unrolled.state, law.unrolled.counts))
            solver = z3.Solver()
            solver.add(
                *relation.deal,
                law.believed(relation.before),
                *Meanings(law, k, doings[action]).facts,
                *doings[action].facts,
            )
            for term, value in zip(relation.before, law.values(played.states[k]), strict=True):
                solver.add(term == (bool(value) if z3.is_bool(term) else value))
            assert solver.check() == z3.sat, (seed, k, action)


def shorter_clauses(relation: StepRelation, steps: int, many: int) -> tuple[int, int]:
    """Clauses that lost a literal: how many are false in some game, and how many true in all nevertheless."""
    law = EncoderLaw(relation, Interpreter(relation.system).start(relation.faces))
    for _ in range(steps):
        before = len(law.unrolled.cnf.clauses)
        law.step()
    long = [clause for clause in law.unrolled.cnf.clauses[before:] if len(clause) > 1]
    random, noticed = Random(1), 0
    for clause in random.sample(long, many):
        gone = random.choice(clause)
        noticed += not law.follows([literal for literal in clause if literal != gone], steps - 1)
    return noticed, many - noticed


def test_a_literal_less_is_noticed(tmp_path: Path) -> None:
    noticed, harmless = shorter_clauses(small_deck(Deck("base", 2, None), tmp_path, 6), 3, 10)
    assert noticed > harmless


@pytest.mark.slow
def test_a_literal_less_is_noticed_often(tmp_path: Path) -> None:
    noticed, harmless = shorter_clauses(small_deck(Deck("base", 2, None), tmp_path, 6), 7, 200)
    assert noticed > 3 * harmless
