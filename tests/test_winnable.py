"""Deals that can be won and that cannot, the evidence for either, and evidence that is none."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hanabi_formal.api import Action, Game, State, load
from hanabi_formal.ask.disagreement import Disagreement
from hanabi_formal.ask.evidence import judge
from hanabi_formal.ask.exhaustive import TooMany, best_score
from hanabi_formal.ask.winnable.answer import Budget
from hanabi_formal.ask.winnable.argue import find_argument
from hanabi_formal.ask.winnable.asked import Asked, Oracle
from hanabi_formal.ask.winnable.greedy import TEMPERS, Temper, greedy
from hanabi_formal.ask.winnable.simplified import Simplified
from hanabi_formal.certify.argument import Argument, Judge, LastRound, Lost, Room, Turns, leaves
from hanabi_formal.certify.certificate import Reasoned, Unsolvable, as_data, from_data
from hanabi_formal.certify.lrat import Refused
from hanabi_formal.certify.needs import (
    CARDS,
    FILE,
    LEVELS,
    TOKENS,
    TURNS,
    Needs,
    kept_in,
    key_of,
    need_path,
    prove_need,
)
from hanabi_formal.certify.position import Position, Reader, reader
from hanabi_formal.certify.seats import Seats
from hanabi_formal.cli.main import cli
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.formats.deals import parse_deal, shuffled
from hanabi_formal.kernel.depends import restrict
from hanabi_formal.resources import proofs_folder
from hanabi_formal.run.compile import Compiled
from hanabi_formal.sat.solvers import Cadical

HERE = Path(__file__).parent
OURS = HERE / "winnable" / "deals.jsonl"
SHARED = HERE.parent.parent / "shared" / "data" / "deals.jsonl"
TINY = HERE / "tiny.hrl"
SPECS = {50: "base", 55: "avalanche"}


def run(*args: str, input: str | None = None) -> Result:
    return CliRunner().invoke(cli, args, catch_exceptions=False, input=input)


@cache
def oracle(spec: str) -> Oracle:
    return Oracle(load(spec))


def deals(path: Path) -> Iterator[tuple[Oracle, dict[str, Any], tuple[int, ...]]]:
    for line in path.read_text("utf-8").splitlines():
        data = json.loads(line)
        asked = oracle(SPECS[len(data["deck"].split())])
        yield asked, data, parse_deal(data["deck"], asked.game.system(data["players"]))


def written(found: Oracle, asked: Asked) -> dict[str, Any]:
    """Evidence as a file would hold it."""
    data: dict[str, Any] = json.loads(json.dumps(found.data(asked)))
    return data


def decided_as_stated(path: Path) -> None:
    for found, data, faces in deals(path):
        asked = found.ask(data["players"], faces, name=data["id"])
        assert asked.answer.verdict == data["answer"], data["id"]
        accepted = judge(found.game, data["players"], faces, written(found, asked))
        assert accepted.answer == data["answer"]


def test_known_deals() -> None:
    decided_as_stated(OURS)


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.exists(), reason="needs the shared deals")
def test_all_known_deals() -> None:
    decided_as_stated(SHARED)


# ---- small decks, every game played out --------------------------------------------------------------
SMALL = [
    ("base", 2, "red,blue", 4, {}),
    ("base", 3, "red,blue", 3, {}),
    ("base", 2, "red,blue,green", 2, {}),
    ("expert", 2, "red,blue", 3, {}),
    ("timed", 2, "red,blue", 3, {}),
    ("rainbow", 2, "red,blue,multi", 3, {}),
    ("difficulty", 2, "red,blue", 3, {}),
    *(("base", 2, "red,blue", 3, {name: value}) for name, value in (
        ("draw_after_fit", "no"), ("perfect_in_last_round", "plays_on"), ("discard_at_full", "allowed"),
        ("empty_hint", "refused"), ("fit", "literal"), ("hopeless", "stops"), ("loss_score", "sum"),
        ("draw_on_end", "yes"), ("take_token", "may"), ("stuck", "lost"), ("red_limit", "third"),
    )),
    ("avalanche", 2, "red,blue,multi", 2, {"all_or_five": "five"}),
]  # fmt: skip


def small_game(spec: str, suits: str, ranks: int, rulings: dict[str, str]) -> Game:
    cuts = {"Suit": suits.split(","), "Rank": [str(rank + 1) for rank in range(ranks)]}
    return load(f"{spec}+{TINY}", rulings=rulings, params={"red_tokens": 2}, cuts=cuts)


def agrees_with_exhaustive_play(case: tuple[str, int, str, int, dict[str, str]], seeds: Sequence[int]) -> None:
    spec, players, suits, ranks, rulings = case
    game = small_game(spec, suits, ranks, rulings)
    found = Oracle(game)
    plain = Compiled(restrict(game.system(players)))
    for seed in seeds:
        faces = shuffled(game.system(players), seed)
        dealt = plain.deal(list(faces))
        best = best_score(plain, dealt, plain.start(dealt))
        asked = found.ask(players, faces, best=True)
        assert asked.answer.verdict == "winnable", (seed, asked.answer.tried)
        assert asked.answer.goal == best, (seed, asked.answer.tried)
        data = written(found, asked)
        judge(game, players, faces, data)
        if asked.beyond is not None:
            judge(game, players, faces, {"rules": data["rules"], **data["beyond"]})


@pytest.mark.parametrize("case", SMALL[:1], ids=str)
def test_small_decks(case: tuple[str, int, str, int, dict[str, str]]) -> None:
    agrees_with_exhaustive_play(case, range(3))


@pytest.mark.slow
@pytest.mark.parametrize("case", SMALL, ids=str)
def test_many_small_decks(case: tuple[str, int, str, int, dict[str, str]]) -> None:
    agrees_with_exhaustive_play(case, range(100, 160))


@pytest.mark.parametrize("case", [SMALL[0], SMALL[8]], ids=str)
def test_small_decks_in_the_middle_of_games(case: tuple[str, int, str, int, dict[str, str]]) -> None:
    assert begun_games_agree_with_exhaustive_play(case, range(200, 206)) > 2


@pytest.mark.slow
@pytest.mark.parametrize("case", SMALL, ids=str)
def test_many_small_decks_in_the_middle_of_games(case: tuple[str, int, str, int, dict[str, str]]) -> None:
    begun_games_agree_with_exhaustive_play(case, range(300, 320))


def begun_games_agree_with_exhaustive_play(
    case: tuple[str, int, str, int, dict[str, str]], seeds: Sequence[int]
) -> int:
    """After some turns at random, the last round and the end among them. How many could be played out."""
    spec, players, suits, ranks, rulings = case
    game = small_game(spec, suits, ranks, rulings)
    found = Oracle(game)
    plain = Compiled(restrict(game.system(players)))
    asked_about = 0
    for seed in seeds:
        rng = Random(seed)
        faces = shuffled(game.system(players), seed)
        dealt = plain.deal(list(faces))
        state = plain.start(dealt)
        before = []
        for _ in range(rng.randrange(1, 15)):
            if plain.ended(state):
                break
            code = rng.choice(list(plain.legal(dealt, state)))
            taken = plain.decode(state, code)
            before.append((taken.action, taken.args))
            state = plain.step(dealt, state, code)
        try:
            best = best_score(plain, dealt, state, 20_000)
        except TooMany:
            continue
        if best is None:
            continue
        asked_about += 1
        asked = found.ask(players, faces, before, best=True)
        assert (asked.answer.verdict, asked.answer.goal) == ("winnable", best), (seed, asked.answer.tried)
        data = written(found, asked)
        judge(game, players, faces, data)
        if asked.beyond is not None:
            judge(game, players, faces, {"rules": data["rules"], "after": data["after"], **data["beyond"]})
    return asked_about


# ---- what a no needs -----------------------------------------------------------------------------------
def test_needs_of_the_base_game_are_proved() -> None:
    assert prove_need(load("base"), 2, TOKENS, 5) == ""


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("spec", ["base", "rainbow", "hanab_live"])
def test_needs_are_proved(spec: str, players: int) -> None:
    assert prove_need(load(spec), players, TOKENS, 5 if players <= 3 else 4) == ""


def built_in() -> list[tuple[str, int]]:
    names = sorted(path.name for path in proofs_folder().iterdir() if path.is_dir())
    return [(name, count) for name in (*names, "hanab_live", "hanab_live+expert") for count in load(name).player_counts]


def test_needs_of_all_that_is_built_in_are_kept() -> None:
    """So that nobody waits for a proof. If this fails: `python bench/prove_needs.py`."""
    kept = kept_in(proofs_folder() / FILE)
    for spec, players in built_in():
        game = load(spec)
        found = reader(game, players)
        assert found is not None
        dealt = found.start(shuffled(found.system, 0)).hand_size
        assert key_of(found.system, CARDS, dealt) in kept, (spec, players)


@pytest.mark.slow
def test_what_is_kept_is_proved_again() -> None:
    kept = kept_in(proofs_folder() / FILE)
    for spec, players in built_in():
        game = load(spec)
        dealt = 3 if players == 6 else 5 if players <= 3 else 4
        need = next(need for need in reversed(LEVELS) if key_of(game.system(players), need, dealt) in kept)
        assert prove_need(game, players, need, dealt) == "", (spec, players, need)


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "rulings", "missing"), [
    ("timed", {}, "need_play_gains"), ("base", {"take_token": "may"}, "need_play_gains"),
    ("base", {"discard_at_full": "allowed"}, "need_discard_gains"),
])  # fmt: skip
def test_tokens_that_are_not_always_counted_alike(spec: str, rulings: dict[str, str], missing: str) -> None:
    game = load(spec, rulings=rulings)
    assert missing in prove_need(game, 2, TOKENS, 5)
    assert Needs(game, 2, 5).standing(TURNS).met


def test_a_wrong_size_of_hands_is_not_proved() -> None:
    assert "need_room" in prove_need(load("base"), 2, CARDS, 4)


def test_rules_that_fail_a_need_lose_the_shortcut_only(tmp_path: Path) -> None:
    """Cards come back from the discards, so that no card is ever lost for good."""
    again = tmp_path / "again.hrl"
    again.write_text(
        "variant again extends base {\n"
        '  clause @again.back "a card that does not fit goes back under the hand of the next player"\n'
        "  override effect misfit(c) {\n"
        "    place[c]' = hand(next(turn))\n"
        "    red_spent' = min(red_spent + 1, red_tokens)\n"
        "  }  @again.back\n"
        "}\n"
    )
    cuts = {"Suit": ["red"], "Rank": ["1", "2"]}
    game = load(f"{TINY}+{again}", params={"red_tokens": 3}, cuts=cuts)
    assert not Needs(game, 2, 2).standing(TURNS).met
    plain = Compiled(restrict(game.system(2)))
    for seed in range(4):
        faces = shuffled(game.system(2), seed)
        dealt = plain.deal(list(faces))
        asked = Oracle(game).ask(2, faces, best=True)
        assert asked.answer.goal == best_score(plain, dealt, plain.start(dealt))


def test_expert_arguments_are_about_room_only() -> None:
    """A deal that is lost for want of turns can be won where there is no last round."""
    _, data, faces = next(each for each in deals(OURS) if each[1]["id"] == "flag-novar5-4p-2798")
    asked = oracle("expert").ask(4, faces)
    assert data["answer"] == "unwinnable"
    assert asked.answer.verdict == "winnable"


# ---- tokens counted --------------------------------------------------------------------------------------
def counted(game: Game, players: int, seed: int, best: bool = False) -> tuple[Oracle, Asked]:
    """A deal decided without searches, and the judge's consent to what is said of it."""
    found = Oracle(game, budget=Budget(widths=(), wider=()))
    faces = shuffled(game.system(players), seed)
    asked = found.ask(players, faces, best=best)
    data = written(found, asked)
    judge(game, players, faces, data if asked.beyond is None else {"rules": data["rules"], **data["beyond"]})
    return found, asked


def test_a_deal_that_is_lost_for_want_of_tokens() -> None:
    game = small_game("base", "red,blue", 4, {})
    found, asked = counted(game, 2, LOST_FOR_TOKENS)
    assert asked.answer.method == "tokens"
    data = written(found, asked)
    for change in ({"kind": "seats"}, {"clauses": "0" * 64}, {"lrat": data["certificate"]["lrat"][:40]}):
        wrong = {**data, "certificate": {**data["certificate"], **change}}
        with pytest.raises(Refused):
            judge(game, 2, asked.faces, wrong)
    may = small_game("base", "red,blue", 4, {"take_token": "may"})
    with pytest.raises(Refused, match="do not have what it needs"):
        judge(may, 2, asked.faces, {key: value for key, value in data.items() if key != "rules"})


def test_fewer_points_are_denied_by_tokens_too() -> None:
    _, asked = counted(small_game("base", "red,blue", 4, {}), 2, FEWER_FOR_TOKENS, best=True)
    assert asked.beyond is not None
    assert (asked.beyond.method, asked.beyond.goal < 8) == ("tokens", True)


LOST_FOR_TOKENS, FEWER_FOR_TOKENS = 10, 4


@cache
def begun_games() -> list[tuple[Reader, list[State]]]:
    """Games of every kind, from some moment on."""
    found = []
    for spec, players in (("base", 2), ("base", 5), ("rainbow", 3), ("hanab_live", 4)):
        game = load(spec)
        where = reader(game, players)
        assert where is not None
        for seed in range(12):
            state = game.start(players, seed=seed)
            states, rng = [state], Random(seed)
            while state.ended is None:
                state = state.step(chosen(state, rng, skilled=seed % 3 > 0))
                states.append(state)
            found += [(where, states[begin:]) for begin in sorted(rng.sample(range(len(states) - 1), 2))]
    return found


def refuted_by_games(clauses: Callable[[Position, int], Seats]) -> Counter[str]:
    """How often what a game did is no solution, though it made as many points; by how it ended."""
    refuted = Counter[str]()
    for where, states in begun_games():
        end = states[-1].ended
        assert end is not None
        seats = clauses(where.read(states[0]), sum(where.read(states[-1]).heights))
        done = [[literal] for literal in what_was_done(seats, where, states)]
        solver = Cadical([*seats.cnf.clauses, *done])
        refuted[end.name] += not solver.solve(10_000)
        solver.close()
    return refuted


def test_clauses_about_tokens_are_true_of_games() -> None:
    refuted = refuted_by_games(lambda position, goal: Seats(position, goal, tokens=True))
    assert {"strikes", "perfect", "last_round"} <= refuted.keys()
    assert refuted.total() == 0


def few_hints(position: Position, goal: int) -> Seats:
    seats = Seats(position, goal, tokens=True)
    assert seats.tokens is not None
    for hints in seats.tokens.hints:
        for many in hints[position.players :]:
            seats.cnf.add(-many)
    return seats


@pytest.mark.parametrize("clauses", [
    few_hints,
    lambda position, goal: Seats(position, goal, tokens=True, to_the_end=True),
    lambda position, goal: Seats(replace(position, mistakes=1), goal, tokens=True),
    lambda position, goal: Seats(replace(position, tokens=0), goal, tokens=True),
    lambda position, goal: Seats(position, goal + 1, tokens=True),
], ids=["hints are few", "no game is over early", "no mistakes", "no tokens", "a point more"])  # fmt: skip
def test_clauses_that_say_too_much_are_found(clauses: Callable[[Position, int], Seats]) -> None:
    assert refuted_by_games(clauses).total() > 0


def chosen(state: State, rng: Random, skilled: bool) -> Action:
    """A card that fits rather than anything else, if the players are skilled."""
    legal = [action for action in state.legal() if action.name in ("play", "discard", "hint")]
    fitting = [a for a in legal if a.name == "play" and state.step(a).score > state.score]
    if skilled and rng.random() < 0.97:
        return rng.choice(fitting or [a for a in legal if a.name != "play"] or legal)
    return rng.choice(legal)


def what_was_done(seats: Seats, where: Reader, states: Sequence[State]) -> Iterator[int]:
    """Who put down which card, when it was played, and how many hints came before; then that the game was over."""
    assert seats.tokens is not None
    step = hints = 0
    for before, after in pairwise(map(where.read, states)):
        gone = [c for c in before.seat_of if c not in after.seat_of]
        if not gone and before.drawn < len(before.faces):
            hints += 1
            continue
        if step < seats.draws:
            yield seats.tokens.hints[step][hints]
            yield seats.acts[step][before.turn]
            yield -seats.tokens.over[step]
        played = bool(gone) and sum(after.heights) > sum(before.heights)
        yield seats.is_play[step] if played else -seats.is_play[step]
        if played:
            yield seats.used[gone[0]]
            yield seats.plays[before.faces[gone[0]]][step]
        elif step < seats.draws:
            yield seats.tokens.discards[step] if after.mistakes == before.mistakes else -seats.tokens.discards[step]
        step, hints = step + 1, 0
    if step <= seats.draws:
        yield seats.tokens.over[step]


# ---- rules that mean something else by the same words ----------------------------------------------------
def changed(folder: Path, *changes: str) -> Game:
    path = folder / "changed.hrl"
    lines = "\n".join(f"  {change}" for change in changes)
    path.write_text(f'variant changed extends base {{\n  clause @changed "a rule of our own"\n{lines}\n}}\n')
    cuts = {"Suit": ["red", "blue"], "Rank": ["1", "2", "3"]}
    return load(f"{TINY}+{path}", params={"red_tokens": 2}, cuts=cuts)


DOUBLE = "2 * sum(height(s) for s : Suit)"
ARGUED = {"answer": "unwinnable", "goal": 6, "certificate": as_data(Reasoned(Turns(2)))}
SEATED = {"answer": "unwinnable", "goal": 5, "certificate": as_data(Unsolvable("seats", 1, "", ""))}


def test_all_faces_are_not_the_points_of_all_rules(tmp_path: Path) -> None:
    """Where cards count double, half the maximum is as many points as there are faces."""
    game = changed(
        tmp_path, f"override score = {DOUBLE} @changed",
        'override interface cards { face = suit, rank ; play = action play(c, true) ; discard = action discard(c, true) ;'
        " hint = action hint(p, about) ; maximum = 2 * size(Suit) * size(Rank) }",
    )  # fmt: skip
    faces = shuffled(game.system(2), 105)
    asked = Oracle(game).ask(2, faces, best=True)
    assert (asked.answer.verdict, asked.answer.goal) == ("winnable", 10)
    with pytest.raises(Refused, match="about all faces"):
        judge(game, 2, faces, ARGUED)
    with pytest.raises(Refused, match="score otherwise"):
        judge(game, 2, faces, SEATED)


def test_fewer_points_than_the_maximum_are_cards_only_where_rules_say_so(tmp_path: Path) -> None:
    game = changed(tmp_path, f"override score = if perfect() then 6 else min(5, {DOUBLE}) @changed")
    with pytest.raises(Refused, match="score otherwise"):
        judge(game, 2, shuffled(game.system(2), 0), SEATED)


@pytest.mark.parametrize("change", [
    "override union Place = pile | hand(Player) | fireworks | discards | table @changed",
    "override cards Card(rank : Rank, suit : Suit) copies copies(suit, rank) @changed",
    "override sort Player = players + 1 @changed",
])  # fmt: skip
def test_other_places_decks_and_players_have_no_positions(change: str, tmp_path: Path) -> None:
    game = changed(tmp_path, change)
    assert reader(game, 2) is None
    with pytest.raises((Refused, Rejected), match=r"no places and turns|not told apart by suit and rank"):
        judge(game, 2, shuffled(game.system(2), 0), ARGUED)


def test_words_of_the_needs_cannot_be_changed(tmp_path: Path) -> None:
    game = changed(tmp_path, "override def held(c, p) = place[c] == hand(p) and index(c) < 3 @changed")
    assert "held" in prove_need(game, 2, CARDS, 1)
    assert "is called" in prove_need(load(f"base+{need_path(TURNS)}"), 2, TURNS, 5)


def test_deals_need_not_begin_alike(tmp_path: Path) -> None:
    game = changed(tmp_path, "override start { turn = Player(if suit[Card(0)] == red then 0 else 1) @changed }")
    found = reader(game, 2)
    assert found is not None
    for seed in range(6):
        faces = shuffled(game.system(2), seed)
        assert found.start(faces) == found.read(game.start(2, faces))


def test_goals_beyond_the_maximum() -> None:
    found, data, faces = next(deals(OURS))
    for goal in (-1, 26, 10**40):
        with pytest.raises(Refused, match="its goal"):
            judge(found.game, data["players"], faces, {"answer": "unwinnable", "goal": goal, "certificate": None})


# ---- arguments -----------------------------------------------------------------------------------------
def position(spec: str, players: int, faces: Sequence[int]) -> Position:
    found = reader(load(spec), players)
    assert found is not None
    return found.start(faces)


def test_no_argument_against_a_deal_that_is_won() -> None:
    """Whatever is said of it: all arguments of one leaf, and those of other deals."""
    others: list[Argument] = []
    for _, data, faces in deals(OURS):
        where = position(SPECS[len(faces)], data["players"], faces)
        argument = find_argument(where, turns=True)
        assert (argument is not None) == (data["answer"] == "unwinnable")
        if argument is not None:
            Judge(where).accept(argument)
            others.append(argument)
    for _, data, faces in deals(OURS):
        if data["answer"] == "unwinnable":
            continue
        where = position(SPECS[len(faces)], data["players"], faces)
        size = len(faces)
        simple: list[Argument] = [*others, *map(Lost, range(30)), *map(Turns, range(size))]
        simple += map(LastRound, range(size - 9, size))
        simple += [Room(card, since) for card in range(size) for since in range(card + 1)]
        for argument in simple:
            with pytest.raises(Refused):
                Judge(where).accept(argument)


def test_corrupted_arguments() -> None:
    """A thousand changes to certificates of lost deals, held against deals that are won: all are refused."""
    rng = Random(5)
    lost: list[Argument] = []
    won: list[tuple[int, Position]] = []
    for _, data, faces in deals(OURS):
        where = position(SPECS[len(faces)], data["players"], faces)
        argument = find_argument(where, turns=True)
        if argument is not None:
            lost.append(argument)
        else:
            won.append((data["players"], where))
    for _ in range(1000):
        data = corrupted(as_data(Reasoned(rng.choice(lost))), rng)
        _, where = rng.choice(won)
        with pytest.raises(Refused):
            accept(data, where)


def accept(data: Any, where: Position) -> None:
    certificate = from_data(data)
    assert isinstance(certificate, Reasoned)
    Judge(where).accept(certificate.argument)


def corrupted(data: Any, rng: Random) -> Any:
    """The same with one number, word or branch changed, somewhere."""
    match data:
        case dict() if data:
            key = rng.choice(list(data))
            if rng.random() < 0.1:
                return {other: value for other, value in data.items() if other != key}
            return {**data, key: corrupted(data[key], rng)}
        case list() if data and rng.random() < 0.8:
            place = rng.randrange(len(data))
            return [*data[:place], corrupted(data[place], rng), *data[place + 1 :]]
        case list():
            return data[1:]
        case bool() | None:
            return 3
        case int():
            return rng.choice([data + 1, data - 1, -data, data + 1000, str(data), None])
        case str():
            return data[1:] if rng.random() < 0.5 else f"{data}x"
    return None


def test_corrupted_evidence() -> None:
    """Lines and proofs, changed in many ways: what is still accepted is still true."""
    rng = Random(11)
    game = small_game("base", "red,blue", 3, {})
    found = Oracle(game, "sat")
    verdicts = set()
    for seed in (*range(3), *LOST_AND_SMALL):
        faces = shuffled(game.system(2), seed)
        asked = found.ask(2, faces)
        verdicts.add(asked.answer.verdict)
        data = written(found, asked)
        judge(game, 2, faces, data)
        for _ in range(30):
            wrong = corrupted(data, rng)
            try:
                accepted = judge(game, 2, faces, wrong)
            except Refused:
                continue
            assert accepted.answer == asked.answer.verdict
            assert accepted.goal <= 6 or accepted.answer == "unwinnable"
        other = shuffled(game.system(2), seed + 1000)
        if asked.answer.verdict == "unwinnable":
            with pytest.raises(Refused):
                judge(game, 2, other, data)
    assert verdicts == {"winnable", "unwinnable"}


LOST_AND_SMALL = (7,)


def test_other_rules_and_players_are_refused() -> None:
    found, data, faces = next(deals(OURS))
    evidence = written(found, found.ask(data["players"], faces))
    with pytest.raises(Refused, match="other rules"):
        judge(load("base", rulings={"empty_hint": "refused"}), data["players"], faces, evidence)


def test_trees_are_small() -> None:
    for _, data, faces in deals(OURS):
        argument = find_argument(position(SPECS[len(faces)], data["players"], faces), turns=True)
        assert argument is None or sum(1 for _ in leaves(argument)) <= 50


# ---- lines ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("spec", ["base", "avalanche", "expert"])
def test_greedy_lines_are_games_of_the_rules(spec: str, players: int) -> None:
    """What is found in the simplified game can be played in the real one."""
    ladder = oracle(spec).ladder(players)
    assert ladder.reader is not None
    found = Counter[Temper]()
    for seed in range(30):
        state = ladder.game.start(players, shuffled(ladder.system, seed))
        where = ladder.reader.begun(state)
        for temper in TEMPERS:
            moves = greedy(Simplified(where, ladder.has_last_round), temper)
            if moves is not None:
                found[temper] += 1
                line = ladder.writer.write(state, where, moves, ladder.maximum)
                assert line is not None
                ladder.confirmation.confirm(state.dealt[0], line.actions, ladder.maximum)
    assert min(found[temper] for temper in TEMPERS) >= 10


@pytest.mark.parametrize(("spec", "seed"), [("base", 1000635), ("avalanche", 1000398)])
def test_plans_that_cannot_be_followed_to_the_letter(spec: str, seed: int) -> None:
    """A card that is to be misplayed may fit, one that is to be discarded may have to be played."""
    found = Oracle(load(spec), budget=Budget(widths=(), wider=(), general_conflicts=1))
    assert found.ask(2, shuffled(found.game.system(2), seed)).answer.method == "plan"


def test_confirmation_refuses_what_run_refuses() -> None:
    """Lines with an action left out, said twice, or exchanged for another one's: nothing is believed unplayed."""
    rng = Random(7)
    found = oracle("base")
    ladder = found.ladder(3)
    verdicts = Counter[bool]()
    for seed in range(40):
        faces = shuffled(ladder.system, seed)
        line = list(found.ask(3, faces).answer.line)
        place, other = rng.randrange(len(line)), rng.randrange(len(line))
        changed = rng.choice([line[:place] + line[place + 1 :], [*line[:place], line[place], *line[place:]],
                              [*line[:place], line[other], *line[place + 1 :]]])  # fmt: skip
        played = ladder.writer.follow(ladder.game.start(3, faces), changed)
        won = played is not None and played.score == ladder.maximum
        verdicts[won] += 1
        with nullcontext() if won else pytest.raises((Disagreement, AssertionError)):
            ladder.confirmation.confirm(faces, changed, ladder.maximum)
    assert verdicts[False] >= 20


# ---- engines, budgets, games ---------------------------------------------------------------------------
@pytest.mark.parametrize("engine", ["sat", "z3"])
def test_engines_agree_on_small_decks(engine: Any) -> None:
    game = small_game("base", "red,blue", 2, {})
    for seed in range(4):
        faces = shuffled(game.system(2), seed)
        asked = Oracle(game, engine).ask(2, faces)
        assert asked.answer.verdict == Oracle(game).ask(2, faces).answer.verdict
        judge(game, 2, faces, written(Oracle(game, engine), asked))


def test_a_spent_budget_decides_nothing() -> None:
    game = load("base")
    faces = shuffled(game.system(2), 3)
    asked = Oracle(game, "sat", Budget(general_conflicts=1)).ask(2, faces)
    assert asked.answer.verdict == "undecided"
    with pytest.raises(Refused, match="undecided"):
        judge(game, 2, faces, written(oracle("base"), asked))


def test_from_a_position_in_a_game(tmp_path: Path) -> None:
    """A discarded five loses the game, and the best score with it."""
    found = oracle("base")
    game = found.game
    faces = next(faces for faces in (shuffled(game.system(2), seed) for seed in range(9)) if faces[2] % 5 == 4)
    five = 2
    before = [("hint", (1, 5 + int(faces[5]) % 5)), ("hint", (0, 5 + int(faces[0]) % 5)), ("discard", (five, 1))]
    asked = found.ask(2, faces, before, best=True)
    assert asked.beyond is not None
    assert asked.beyond.certificate == Reasoned(Lost(faces[five]))
    assert 20 <= asked.answer.goal < 25
    evidence = written(found, asked)
    judge(game, 2, faces, evidence)
    judge(game, 2, faces, {"rules": evidence["rules"], "after": evidence["after"], **evidence["beyond"]})


def test_command_line(tmp_path: Path) -> None:
    evidence = tmp_path / "evidence.json"
    result = run("winnable", "base", "p2v0s1", "--json")
    assert result.exit_code == 0
    evidence.write_text(result.output)
    assert run("certify", "base", "p2v0s1", str(evidence)).exit_code == 0
    refused = run("certify", "base", "p2v0s2", str(evidence))
    assert refused.exit_code == 1
    assert refused.output.startswith("refused: ")


def test_many_deals_in_order() -> None:
    result = run("winnable", "base", "--deals", "-", "--json", input=OURS.read_text("utf-8").splitlines()[0] + "\n")
    (line,) = result.output.splitlines()
    assert json.loads(line)["id"] == json.loads(OURS.read_text("utf-8").splitlines()[0])["id"]


def test_judging_imports_nothing_that_searches() -> None:
    """Only the encoders are shared: no ladder, no solver, no search."""
    program = (
        "import sys, hanabi_formal.ask.evidence\n"
        "print(sorted(name for name in sys.modules if name.startswith(('hanabi_formal.ask.winnable',"
        " 'hanabi_formal.sat.search', 'hanabi_formal.sat.solvers', 'hanabi_formal.sat.question', 'pysat'))))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"
