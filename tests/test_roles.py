"""What parts are to Hanabi is in the interface: names in rule files may change, and games may declare less."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from hanabi_formal.api import Game, load
from hanabi_formal.cli.main import cli
from hanabi_formal.compose.settings import Settings
from hanabi_formal.conformance.menu import Menu
from hanabi_formal.conformance.messages import ALWAYS
from hanabi_formal.conformance.trial import ConformanceTrial, Findings
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.formats.deals import parse_deal
from hanabi_formal.formats.games import open_games
from hanabi_formal.judge.arguments.needs import CARDS, TURNS, key_of, prove_need
from hanabi_formal.judge.arguments.position import reader
from hanabi_formal.judge.evidence import judge
from hanabi_formal.kernel.canonical import rules_identity
from hanabi_formal.replays.recorded import Library, exported
from hanabi_formal.resources import spec_folder
from hanabi_formal.roles.entries import Undeclared, roles_of
from hanabi_formal.winnability.deal_report import DealReport
from hanabi_formal.winnability.evidence_data import as_data
from hanabi_formal.winnability.oracle import Oracle
from rules_engine import RulesEngine

OTHER_NAMES = {
    "place": "lies",
    "pile": "stock",
    "hand": "held_by",
    "fireworks": "show",
    "discards": "heap",
    "drawn": "taken_up",
    "turn": "acting",
    "blue_left": "hints_left",
    "red_spent": "errors",
    "turns_left": "last_turns",
    "told": "heard",
    "suit": "hue",
    "rank": "level",
    "Card": "Tile",
    "Suit": "Hue",
    "Rank": "Level",
    "Player": "Seat",
    "Place": "Spot",
    "play": "lay",
    "discard": "toss",
    "hint": "tell",
    "reachable_max": "best_left",
}
TOKENS = re.compile(r'"[^"]*"|#[^\n]*|@[\w.]+|[A-Za-z_]\w*|.', re.DOTALL)


def reworded(text: str, names: Mapping[str, str]) -> str:
    return "".join(names.get(token, token) for token in TOKENS.findall(text))


@pytest.fixture(scope="module")
def renamed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The base game with another name for everything that has a role."""
    folder = tmp_path_factory.mktemp("renamed")
    shutil.copytree(spec_folder() / "sources", folder / "sources")
    rules, opening, interface = (spec_folder() / "base.hrl").read_text("utf-8").partition("  interface cards {\n")
    entries = (line.partition(" = ") for line in interface.splitlines(keepends=True))
    told = "".join(f"{key}{sign}{reworded(value, OTHER_NAMES)}" for key, sign, value in entries)
    path = folder / "base.hrl"
    path.write_text(reworded(rules, OTHER_NAMES) + opening + told, "utf-8")
    return str(path)


# ---- other names, the same answers -------------------------------------------------------------------------
def test_the_renamed_game_is_another_game_with_no_old_name_left(renamed: str) -> None:
    system = load(renamed).system(2)
    names = {var.name for var in system.variables} | {action.name for action in system.actions}
    assert not names & OTHER_NAMES.keys()
    assert rules_identity(system) != rules_identity(load("base").system(2))


def test_positions_are_read_alike(renamed: str) -> None:
    ours, theirs = (reader(load(spec), 3) for spec in ("base", renamed))
    assert ours is not None
    assert theirs is not None
    assert ours.has_last_round
    assert theirs.has_last_round
    faces = parse_deal("p3v0s17", ours.system)
    assert ours.start(faces) == theirs.start(faces)


@pytest.mark.parametrize(("seed", "verdict"), [("p3v0s17", "winnable"), ("p2v0s220", "unwinnable")])
def test_winnable_answers_alike(renamed: str, seed: str, verdict: str) -> None:
    """A no rests on needs, which are proved of the renamed rules in their own words, and judged."""
    told = []
    for spec in ("base", renamed):
        game = load(spec)
        players = int(seed[1])
        faces = parse_deal(seed, game.system(players))
        found = Oracle(game)
        asked = found.ask(players, faces)
        told.append((asked.answer.verdict, asked.answer.method, DealReport(found, asked).explanation()))
        if asked.answer.certificate is not None:
            proof = {"answer": "unwinnable", "certificate": as_data(asked.answer.certificate)}
            judge(game, players, faces, proof)
    assert told[0] == told[1]
    assert told[0][0] == verdict


LINK = (
    "https://hanab.live/shared-replay-json/415ifirpxqufunsxcwgc-tbokayavlbjdgwqvekus-pdfanhhmkrpml,03tdeh-sbxckceeeisbkdeg1bep"
    "-edodeleufaerxaexwdez-fjgcfbffeswaeywcf5en-fvfqe2eo1bgce7emf3f4-ewf0tctdeHeIecocekkb-obe1fJf8f6et,0,p4v0s1#33"
)


def test_games_replay_alike(renamed: str) -> None:
    told = []
    for spec in ("base", renamed):
        (given,) = open_games(LINK).each
        assert not isinstance(given.content, Rejected)
        found = Library(spec, Settings({}, {}, {})).replay(given.content)
        assert found.legal
        end = found.last.ended and found.last.ended.name
        told.append((end, found.last.score, [turn.figures for turn in found.turns], exported(found)["actions"]))
    assert told[0] == told[1]
    assert all(figures.pace is not None and figures.reachable_max is not None for figures in told[0][2])


def compared(game: Game, other: Game) -> Findings:
    return ConformanceTrial(game, RulesEngine(other, lists=False), [2], 4, explain=False).run()


def test_diff_finds_the_same(renamed: str) -> None:
    other = load("base", rulings={"discard_at_full": "allowed"})
    ours, theirs = (compared(load(spec), other) for spec in ("base", renamed))
    told = [
        [(group.shortest.cause, group.shortest.what, group.shortest.clauses) for group in found.groups]
        for found in (ours, theirs)
    ]
    assert told[0] == told[1]
    assert [cause for cause, _, _ in told[0]] == [("allows", "discard", "full")]
    assert [item.done for item in theirs.coverage] == [item.done for item in ours.coverage]
    assert not compared(load(renamed), load("base")).groups


# ---- the same rules read otherwise are other rules -----------------------------------------------------------
SWAPPED = {"fireworks": "discards", "discards": "fireworks"}


def test_what_is_known_of_one_reading_is_not_taken_for_another(tmp_path: Path) -> None:
    """The needs that the package keeps of the base game say nothing of one that calls the discards its fireworks."""
    shutil.copytree(spec_folder() / "sources", tmp_path / "sources")
    rules, opening, interface = (spec_folder() / "base.hrl").read_text("utf-8").partition("  interface cards {\n")
    entries = (line.partition(" = ") for line in interface.splitlines(keepends=True))
    told = "".join(f"{key}{sign}{reworded(value, SWAPPED)}" for key, sign, value in entries)
    (tmp_path / "base.hrl").write_text(rules + opening + told, "utf-8")
    cuts = {"Suit": ["red", "blue"], "Rank": ["1", "2", "3"]}
    base, swapped = load("base", cuts=cuts), load(str(tmp_path / "base.hrl"), cuts=cuts)
    assert roles_of(swapped.system(2)).fireworks == roles_of(base.system(2)).discards
    assert rules_identity(swapped.system(2)) != rules_identity(base.system(2))
    assert key_of(swapped.system(2), TURNS, 5) != key_of(base.system(2), TURNS, 5)
    assert prove_need(base, 2, CARDS, 5) == ""
    assert "need_from_below" in prove_need(swapped, 2, CARDS, 5)


# ---- games that declare less ---------------------------------------------------------------------------------
GAMES = Path(__file__).parent / "games"
LESS = """variant less extends base {
  clause @less "no word about tokens"
  override interface cards {
    face = suit, rank
    letters = "red r yellow y green g blue b white w"
    play = action play(c, true)
    discard = action discard(c, true)
    hint = action hint(p, about)
    maximum = size(Suit) * size(Rank)
    place = place ; pile = pile ; hand = hand ; fireworks = fireworks ; discards = discards ; drawn = drawn ; turn = turn
  }
}
"""


def test_what_is_not_declared_is_told_with_a_way_out(tmp_path: Path) -> None:
    path = tmp_path / "less.hrl"
    path.write_text(LESS)
    with pytest.raises(Undeclared, match="declares no `blue`, `red`"):
        roles_of(load(str(path)).system(2))
    for spec, missing in ((path, "declares no `blue`, `red`"), (GAMES / "tricks.hrl", "no interface with suits")):
        told = CliRunner().invoke(cli, ["diff", str(spec), "--impl", "python3 engine.py"])
        assert told.exit_code == 2
        assert missing in told.output
        assert "help: `interface cards { … }`" in told.output
    told = CliRunner().invoke(cli, ["play", str(path), "--players", "2", "--seed", "4"])
    assert told.exit_code == 0
    assert "score" in told.output


# ---- suits without letters, ranks without copies, colours that are no suits -----------------------------------
NO_LETTER = "add value gold to Suit @odd"
NO_FOURS = "override def copies(s, r) = if r == 4 then 0 else if r == last(Rank) then 1 else if r == first(Rank) then 3 else 2 @odd"
NO_WHITE = "override def copies(s, r) = if s == white then 0 else if r == last(Rank) then 1 else 2 @odd"
COLOURS = """add enum Colour = warm | blue | cold @odd
  override union Clue = colour(Colour) | value(Rank) @odd
  override def touches(c, about) = match about {
    colour(k) : index(suit[c]) % 3 == index(k)
    value(r) : rank[c] == r
  } @odd"""
ODD = {"no letter": NO_LETTER, "no fours": NO_FOURS, "no white": NO_WHITE, "colours": COLOURS}


def odd(folder: Path, name: str) -> Game:
    path = folder / "odd.hrl"
    path.write_text(f'variant odd extends base {{\n  clause @odd "an odd deck"\n  {ODD[name]}\n}}\n')
    return load(str(path))


@pytest.mark.parametrize("name", ODD)
def test_odd_decks_and_hints_are_compared(name: str, tmp_path: Path) -> None:
    game = odd(tmp_path, name)
    findings = compared(game, game)
    assert findings.states > 200
    assert not findings.groups
    menu = Menu(game, 2, ALWAYS)
    said = [move.data(menu.setup.colours) for move in menu.moves]
    hints = {move.get("colour", move.get("value")) for move in said if move["type"] == "hint"}
    colours = {"warm", "blue", "cold"} if name == "colours" else {"red", "yellow", "green", "blue", "white"}
    assert hints - {"gold"} == {*colours, 1, 2, 3, 4, 5}
    assert len({str(move) for move in said}) == len(said)


@pytest.mark.parametrize("name", ODD)
def test_odd_decks_and_hints_reach_a_foreign_implementation(name: str, tmp_path: Path) -> None:
    """Whatever it makes of them, that is no fault of ours."""
    odd(tmp_path, name)
    engine = Path(__file__).parent.parent / "docs" / "examples" / "engine.py"
    args = ["diff", str(tmp_path / "odd.hrl"), "--players", "2", "--games", "1", "--impl", f"python3 {engine}"]
    told = CliRunner().invoke(cli, args, catch_exceptions=False)
    assert told.exit_code in (0, 1), told.output


def test_a_deck_of_few_cards_is_compared() -> None:
    """The executor keeps few cards in another form than many."""
    tiny = load(str(Path(__file__).parent / "tiny.hrl"), cuts={"Suit": ["red"], "Rank": ["1", "2"]})
    findings = compared(tiny, tiny)
    assert findings.states > 20
    assert not findings.groups


def test_only_one_package_looks_into_an_interface() -> None:
    """The kernel has it, the elaborator makes it, and a proof may ask whether two are the same."""
    package = spec_folder().parent / "hanabi_formal"
    found = {
        path.relative_to(package).parts[0]
        for path in package.rglob("*.py")
        if re.search(r"\.interface\b", path.read_text("utf-8"))
    }
    assert found == {"roles", "kernel", "prove"}
