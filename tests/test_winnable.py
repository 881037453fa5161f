"""Deals that can be won and that cannot, the evidence for either, and evidence that is none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import product
from operator import le
from pathlib import Path
from random import Random
from typing import Any
from zlib import compress

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from decided import HERE, OURS, SHARED, SMALL, SPECS, TINY, deals, oracle, small_game, written
from exhaustive import TooMany, best_score
from hanabi_formal.api import load
from hanabi_formal.cli.main import cli
from hanabi_formal.engines.disagreement import Disagreement
from hanabi_formal.formats.deals import shuffled
from hanabi_formal.judge.arguments.argument import Argument, ArgumentJudge, LastRound, LostFace, Room, Turns, leaves
from hanabi_formal.judge.arguments.displays import accept as accept_displays
from hanabi_formal.judge.arguments.displays import displays
from hanabi_formal.judge.arguments.position import Position, reader
from hanabi_formal.judge.certificate import Outnumbered, Reasoned, from_data
from hanabi_formal.judge.evidence import judge, judge_all
from hanabi_formal.judge.refutations.lrat import Refused, check, unpack
from hanabi_formal.kernel.depends import restrict
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.winnability.abstract_game import AbstractGame
from hanabi_formal.winnability.answer import LadderBudget
from hanabi_formal.winnability.argument_search import find_argument
from hanabi_formal.winnability.evidence_data import as_data
from hanabi_formal.winnability.greedy import TEMPERS, Temper, greedy
from hanabi_formal.winnability.oracle import AnsweredDeal, Oracle

pytestmark = pytest.mark.usefixtures("proved_once")


def run(*args: str, input: str | None = None) -> Result:
    return CliRunner().invoke(cli, args, catch_exceptions=False, input=input)


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


def assert_evidence_is_accepted(found: Oracle, asked: AnsweredDeal) -> None:
    """Of the maximum, of the best score, and of one point more than that."""
    accepted = list(judge_all(found.game, asked.players, asked.faces, written(found, asked)))
    assert accepted[-1].answer == ("unwinnable" if asked.beyond not in (None, asked.answer) else "winnable")


# ---- small decks, every game played out --------------------------------------------------------------
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
        assert (asked.reached.verdict, asked.reached.goal) == ("winnable", best), (seed, asked.reached.tried)
        assert_evidence_is_accepted(found, asked)


@pytest.mark.parametrize("case", SMALL[:1], ids=str)
def test_small_decks(case: tuple[str, int, str, int, dict[str, str]]) -> None:
    agrees_with_exhaustive_play(case, range(3))


@pytest.mark.slow
@pytest.mark.parametrize("case", SMALL, ids=str)
def test_many_small_decks(case: tuple[str, int, str, int, dict[str, str]]) -> None:
    agrees_with_exhaustive_play(case, range(100, 160))


@pytest.mark.parametrize("case", [SMALL[0], SMALL[8]], ids=str)
@pytest.mark.sampled(1)
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
            codes = list(plain.legal(dealt, state))
            if not codes:
                break
            code = rng.choice(codes)
            taken = plain.decode(state, code)
            before.append(taken)
            state = plain.step(dealt, state, code)
        try:
            best = best_score(plain, dealt, state, 20_000)
        except TooMany:
            continue
        if best is None:
            continue
        asked_about += 1
        asked = found.ask(players, faces, before, best=True)
        assert (asked.reached.verdict, asked.reached.goal) == ("winnable", best), (seed, asked.reached.tried)
        assert_evidence_is_accepted(found, asked)
    return asked_about


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
            ArgumentJudge(where).accept(argument)
            others.append(argument)
    for _, data, faces in deals(OURS):
        if data["answer"] == "unwinnable":
            continue
        where = position(SPECS[len(faces)], data["players"], faces)
        size = len(faces)
        simple: list[Argument] = [*others, *map(LostFace, range(30)), *map(Turns, range(size))]
        simple += map(LastRound, range(size - 9, size))
        simple += [Room(card, since) for card in range(size) for since in range(card + 1)]
        for argument in simple:
            with pytest.raises(Refused):
                ArgumentJudge(where).accept(argument)


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
    ArgumentJudge(where).accept(certificate.argument)


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


@pytest.mark.deep
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
BEST = {"goal": 24, "answer": "winnable", "line": "that of the evidence"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"deck": "r1 r1"}, "another deal"),
        ({"players": 9}, "another number of players"),
        ({"schema": 99}, "version 99"),
        ({"best": [1]}, "`best` is no evidence"),
        ({"best": {"after": []}}, "`best` is no evidence"),
        ({"best": BEST}, "`beyond` is no evidence"),
        ({"best": {**BEST, "beyond": {"after": []}}}, "`beyond` is no evidence"),
        ({"best": {**BEST, "beyond": {"answer": "winnable", "goal": 26}}}, "`beyond` does not say"),
        ({"spec": "\u202e", "rules": "x"}, "about other rules, '\\u202e'"),
        ({"line": [{"action": "\u202e", "args": []}]}, "no such action"),
        ({"answer": "unwinnable", "certificate": {"kind": "argument", "argument": {"\u202e": 1}}}, "no argument has"),
        (
            {"answer": "unwinnable", "certificate": {"kind": "argument", "argument": {"turns": 10**9}}},
            "so large a number",
        ),
    ],
)
def test_strange_evidence_is_refused(change: dict[str, Any], reason: str, tmp_path: Path) -> None:
    found, data, faces = next(each for each in deals(OURS) if each[1]["answer"] == "winnable")
    evidence = {"schema": 1, **written(found, found.ask(data["players"], faces)), **change}
    if isinstance(best := change.get("best"), dict) and "line" in best:
        evidence["best"] = {**best, "line": evidence["line"]}
    (tmp_path / "evidence.json").write_text(json.dumps(evidence))
    result = run(
        "certify", found.game.name, data["deck"], str(tmp_path / "evidence.json"), "--players", str(data["players"])
    )
    assert (result.exit_code, reason in result.stdout) == (1, True), result.output


def test_evidence_about_a_begun_game_is_judged_if_asked_for(tmp_path: Path) -> None:
    """A five is discarded: nothing about the deal follows from that."""
    found = oracle("base")
    state = next(state for seed in range(9) if "5" in (state := found.game.start(2, seed=seed)).deal[: 3 * 10])
    faces = tuple(state.dealt[0])
    before: list[Instance] = []
    while not before or before[-1][0] != "discard":
        legal = state.legal()
        fives = [a for a in legal if a.name == "discard" and state.deal.split()[a.args[0]].endswith("5")]
        action = (fives or [a for a in legal if a.name == "hint"] or list(legal))[0]
        before.append(action)
        state = state.step(action)
    (tmp_path / "evidence.json").write_text(json.dumps(written(found, found.ask(2, faces, before))))
    args = ("certify", "base", state.deal, str(tmp_path / "evidence.json"))
    assert "had begun" in run(*args).stdout
    assert f"accepted: unwinnable (25 points, after {len(before)} actions)" in run(*args, "--begun").stdout


def test_options_of_a_game_are_in_its_evidence(tmp_path: Path) -> None:
    """A game with empty hints, under rules that refuse them otherwise."""
    record = {"players": 2, "seed": "p2v0s1", "options": {"emptyClues": True}, "actions": []}
    told = run("winnable", "hanab_live", "--game", json.dumps(record), "--json")
    (tmp_path / "evidence.json").write_text(told.stdout)
    assert json.loads(told.stdout)["settings"]["rulings"] == {"empty_hint": "allowed"}
    assert run("certify", "hanab_live", "p2v0s1", str(tmp_path / "evidence.json")).exit_code == 0
    refused = ("--ruling", "empty_hint=refused")
    assert "other rules" in run("certify", "hanab_live", "p2v0s1", str(tmp_path / "evidence.json"), *refused).stdout


def test_settings_that_evidence_brings_are_told(tmp_path: Path) -> None:
    """What is shown under another ruling is not shown of the rules as they are; whoever reads the verdict reads that too."""
    small = ("--set", "Suit=red,blue", "--set", "Rank=1,2,3", "--players", "2")
    deal = "r1 b1 r2 b2 r3 b3 r1 r1 r2 b1 b1 b2"
    told = run("winnable", str(TINY), deal, *small, "--ruling", "fit=literal", "--json")
    (tmp_path / "evidence.json").write_text(told.stdout)
    assert json.loads(told.stdout)["answer"] == "unwinnable"
    judged = run("certify", str(TINY), deal, str(tmp_path / "evidence.json"), *small)
    assert judged.stdout.splitlines()[:2] == [
        "under fit=literal, as the evidence says",
        "accepted: unwinnable (6 points)",
    ]
    data = json.loads(run("certify", str(TINY), deal, str(tmp_path / "evidence.json"), *small, "--json").stdout)
    assert data["settings"]["rulings"] == {"fit": "literal"}
    asked = run("certify", str(TINY), deal, str(tmp_path / "evidence.json"), *small, "--ruling", "fit=continues")
    assert (asked.exit_code, "about other rules" in asked.stdout) == (1, True)


def test_a_game_is_a_deal_too(tmp_path: Path) -> None:
    """Evidence about a game that is given as a link is judged with the same link."""
    page = (HERE.parent / "docs" / "hanab-live.md").read_text("utf-8")
    link = next(word.strip("'") for word in page.split() if "/replay-json/3" in word)
    told = run("winnable", "hanab_live", "--game", link, "--turn", "3", "--json")
    (tmp_path / "evidence.json").write_text(told.stdout)
    judged = run("certify", "hanab_live", link, str(tmp_path / "evidence.json"), "--begun")
    assert (judged.exit_code, "after 2 actions" in judged.stdout) == (0, True), judged.output


def test_the_best_score_beside_the_answer(tmp_path: Path) -> None:
    """The answer is about the maximum, whatever else is asked; evidence of each is accepted."""
    deal = next(data["deck"] for _, data, _ in deals(OURS) if data["id"] == "room-base-2p-51290")
    told = run("winnable", "base", deal, "--players", "2", "--best", "--json", "--explain", "--explain-method")
    (tmp_path / "evidence.json").write_text(told.stdout)
    data = json.loads(told.stdout)
    assert (told.exit_code, data["answer"], data["goal"]) == (1, "unwinnable", 25)
    assert (data["best"]["answer"], data["best"]["goal"], data["best"]["beyond"]["goal"]) == ("winnable", 22, 23)
    assert data["explanation"][0].startswith("23 points are all but 2 of 25 cards")
    assert sorted(data["tried"]) == ["22", "23", "25"]
    judged = run("certify", "base", deal, str(tmp_path / "evidence.json"), "--players", "2")
    accepted = [line for line in judged.stdout.splitlines() if line.startswith("accepted")]
    assert accepted == [
        "accepted: unwinnable (25 points)",
        "accepted: a game with 22 of 25 points",
        "accepted: no game has 23 of 25 points",
    ]


def test_names_and_reasons_of_many_deals(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_text('{"id": "a\\nb", "seed": "p2v0s1"}\n{"id": "", "seed": "p6v0s1"}\n')
    told = run("winnable", "base", "--deals", str(path), "--explain-method")
    lines = told.stdout.splitlines()
    assert lines[0].startswith('"a\\nb"  winnable')
    assert (lines[1], lines[-1]) == ("  tried:", "winnable 1  unreadable 1")
    assert f"{path}, line 2:" in told.stderr


def test_json_in_any_encoding(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_text('{"id": "\\ud83d\\ude00 \u0416", "seed": "p2v0s1"}\n', encoding="utf-8")
    command = [
        sys.executable,
        "-c",
        "from hanabi_formal.cli.main import main; main()",
        "winnable",
        "base",
        "--deals",
        str(path),
        "--json",
    ]
    told = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "latin-1"}, check=True)
    assert json.loads(told.stdout.decode("latin-1"))["id"] == "\U0001f600 \u0416"


def test_a_proof_that_unpacks_to_too_much_is_refused() -> None:
    bomb = b64encode(compress(b"1 " * 2_000_000)).decode()
    with pytest.raises(Refused, match="cut off"):
        check([[1]], unpack(bomb))


def test_games_in_a_file(tmp_path: Path) -> None:
    empty, two = tmp_path / "empty.jsonl", tmp_path / "two.jsonl"
    empty.write_text("\n")
    two.write_text('{"players": 2, "seed": "p2v0s1", "actions": []}\n' * 2)
    for args, reason in (
        (("winnable", "base", "--game", str(empty)), "no game"),
        (("winnable", "base", "--game", str(two)), "several games"),
        (("replay", "base", str(empty)), "no game"),
        (("winnable", "base", "--deals", str(empty)), "no deal"),
    ):
        result = run(*args)
        assert (result.exit_code, reason in result.stderr) == (2, True), result.output


def test_a_bad_line_does_not_stop_the_others(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_text('{"seed": "p2v0s1"}\n{"players": 2, "deck": "r1"}\n{"seed": "p3v0s17"}\n')
    told = run("winnable", "base", "--deals", str(path), "--json")
    lines = [json.loads(line) for line in told.stdout.splitlines()]
    assert [line.get("answer") for line in lines] == ["winnable", None, "winnable"]
    assert (told.exit_code, lines[1]["line"], lines[1]["diagnostics"][0]["code"]) == (2, 2, "HRL600")
    assert run("winnable", "base", "--deals", str(path)).stdout.splitlines()[-1] == "winnable 2  unreadable 1"


def test_other_rules_and_players_are_refused() -> None:
    found, data, faces = next(deals(OURS))
    evidence = written(found, found.ask(data["players"], faces))
    with pytest.raises(Refused, match="other rules"):
        judge(load("base", rulings={"empty_hint": "refused"}), data["players"], faces, evidence)


def test_trees_are_small() -> None:
    for _, data, faces in deals(OURS):
        argument = find_argument(position(SPECS[len(faces)], data["players"], faces), turns=True)
        assert argument is None or sum(1 for _ in leaves(argument)) <= 50


# ---- fewer points than all ------------------------------------------------------------------------------
def best_of(deal: str) -> tuple[Oracle, AnsweredDeal, dict[str, Any]]:
    found, data, faces = next(each for each in deals(OURS) if each[1]["id"] == deal)
    asked = found.ask(data["players"], faces, best=True)
    assert asked.beyond is not None
    evidence = written(found, asked)
    return found, asked, {"rules": evidence["rules"], **evidence["best"]["beyond"]}


@given(st.data())
@settings(max_examples=60, derandomize=True, deadline=None)
def test_displays_are_all_there_are(data: st.DataObject) -> None:
    """Of a position with some cards gone: as many cards, none lower than now, none that needs what is gone."""
    ladder = oracle("base").ladder(2)
    assert ladder.reader is not None
    where = ladder.reader.start(shuffled(ladder.system, data.draw(st.integers(0, 9))))
    heights = tuple(data.draw(st.lists(st.integers(0, 5), min_size=5, max_size=5)))
    gone = data.draw(st.sets(st.integers(0, 24), max_size=6))
    kept = {card: seat for card, seat in where.seat_of.items() if where.faces[card] not in gone}
    hands = tuple(tuple(card for card in hand if card in kept) for hand in where.hands)
    where = replace(where, heights=heights, hands=hands)
    goal = data.draw(st.integers(0, 25))
    all_of_them = [
        display
        for display in product(range(6), repeat=5)
        if sum(display) == goal
        and all(map(le, heights, display))
        and all(map(where.copies.__getitem__, where.missing(display)))
    ]
    found = list(displays(where, goal))
    assert sorted(found) == all_of_them


@pytest.mark.parametrize("deal", ["room-base-2p-51290", "room-avalanche-2p-50089"])
def test_fewer_points_are_denied_by_arguments(deal: str) -> None:
    """One against each display that would do; whatever is changed or left out, it is no proof."""
    found, asked, evidence = best_of(deal)
    assert asked.beyond is not None
    assert isinstance(asked.beyond.certificate, Outnumbered)
    assert asked.beyond.goal < found.ladder(asked.players).maximum
    judge(found.game, asked.players, asked.faces, evidence)
    listed = evidence["certificate"]["displays"]
    others = {
        "says nothing against": listed[1:],
        "speaks of displays": [*listed, [[0] * len(listed[0][0]), listed[0][1]]],
        "goes with the height": [*listed, [["5"], listed[0][1]]],
        "more than": [*listed, *([[number], listed[0][1]] for number in range(200))],
    }
    for reason, other in others.items():
        with pytest.raises(Refused, match=reason):
            judge(
                found.game,
                asked.players,
                asked.faces,
                {**evidence, "certificate": {"kind": "displays", "displays": other}},
            )
    with pytest.raises(Refused, match="says nothing against"):
        judge(found.game, asked.players, asked.faces, {**evidence, "goal": asked.reached.goal})


def test_corrupted_arguments_against_displays() -> None:
    """Whatever they say, nothing denies points that can be had."""
    rng = Random(6)
    found, asked, evidence = best_of("room-base-2p-51290")
    for _ in range(200):
        goal = rng.randint(1, asked.reached.goal)
        wrong = {**evidence, "goal": goal, "certificate": corrupted(evidence["certificate"], rng)}
        with pytest.raises(Refused):
            judge(found.game, asked.players, asked.faces, wrong)


def test_cards_that_are_played_are_points() -> None:
    """No argument denies as many points as there are cards on the fireworks, of rules that score otherwise none at all."""
    found = oracle("base")
    state = next(state for seed in range(9) if "1" in (state := found.game.start(2, seed=seed)).deal[: 3 * 5])
    one = next(a for a in state.legal() if a.name == "play" and state.deal.split()[a.args[0]].endswith("1"))
    after = state.step(one)
    read = reader(found.game, 2)
    assert read is not None
    for goal in (0, 1):
        with pytest.raises(Refused, match="already"):
            accept_displays(read.read(after), goal, {})


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
        where = ladder.reader.read(state)
        for temper in TEMPERS:
            moves = greedy(AbstractGame(where, ladder.has_last_round, (where.ranks,) * where.suits), temper)
            if moves is not None:
                found[temper] += 1
                line = ladder.writer.write(state, where, moves, ladder.maximum)
                assert line is not None
                ladder.confirmation.confirm(state.dealt[0], line.actions, ladder.maximum)
    assert min(found[temper] for temper in TEMPERS) >= 10


@pytest.mark.parametrize(("spec", "seed"), [("base", 1000635), ("avalanche", 1000398)])
def test_plans_that_cannot_be_followed_to_the_letter(spec: str, seed: int) -> None:
    """A card that is to be misplayed may fit, one that is to be discarded may have to be played."""
    found = Oracle(load(spec), budget=LadderBudget(widths=(), wider=(), general_conflicts=1))
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
        changed = rng.choice(
            [
                line[:place] + line[place + 1 :],
                [*line[:place], line[place], *line[place:]],
                [*line[:place], line[other], *line[place + 1 :]],
            ]
        )
        played = ladder.writer.follow(ladder.game.start(3, faces), changed)
        won = played is not None and played.score == ladder.maximum
        verdicts[won] += 1
        with nullcontext() if won else pytest.raises((Disagreement, AssertionError)):
            ladder.confirmation.confirm(faces, changed, ladder.maximum)
    assert verdicts[False] >= 20


# ---- engines, budgets, games ---------------------------------------------------------------------------
@pytest.mark.parametrize("engine", ["sat", "z3"])
@pytest.mark.deep
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
    asked = Oracle(game, "sat", LadderBudget(general_conflicts=1)).ask(2, faces)
    assert asked.answer.verdict == "undecided"
    with pytest.raises(Refused, match="undecided"):
        judge(game, 2, faces, written(oracle("base"), asked))


def test_from_a_position_in_a_game(tmp_path: Path) -> None:
    """A discarded five loses the game, and the best score with it."""
    found = oracle("base")
    game = found.game
    faces = next(faces for faces in (shuffled(game.system(2), seed) for seed in range(9)) if faces[2] % 5 == 4)
    five = 2
    before = [
        Instance("hint", (1, 5 + int(faces[5]) % 5)),
        Instance("hint", (0, 5 + int(faces[0]) % 5)),
        Instance("discard", (five, 1)),
    ]
    asked = found.ask(2, faces, before, best=True)
    assert asked.beyond is not None
    assert asked.beyond.certificate == Reasoned(LostFace(faces[five]))
    assert 20 <= asked.reached.goal < 25
    evidence = written(found, asked)
    judge(game, 2, faces, evidence)
    list(judge_all(game, 2, faces, evidence))


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
        "import sys, hanabi_formal.judge.evidence\n"
        "print(sorted(name for name in sys.modules if name.startswith(('hanabi_formal.winnability',"
        " 'hanabi_formal.sat.solvers', 'hanabi_formal.sat.question', 'pysat'))))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"
