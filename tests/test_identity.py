"""The identity of rules: different games have different ones, wherever they lie and whatever their names look like."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result

from edited_systems import TRICKY, random_edit, spots
from hanabi_formal.api import Game, load
from hanabi_formal.cli.main import cli
from hanabi_formal.compose.merge import merge
from hanabi_formal.compose.settings import Settings
from hanabi_formal.compose.units import compose
from hanabi_formal.engines.reference_words import UnknownRules, known_rules
from hanabi_formal.kernel.build import substitute
from hanabi_formal.kernel.canonical import Malformed, canonical, form_of, identity, read, rules_identity, write
from hanabi_formal.kernel.expr import Local, Op, Quant, locals_in
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.kernel.types import BOOL, EnumType
from hanabi_formal.prove.archive import find, save
from hanabi_formal.prove.obligation import Obligation, ObligationKind, Verdict
from hanabi_formal.prove.obligation import Result as Verdict_of
from hanabi_formal.prove.search.goals import NOTHING
from hanabi_formal.resources import builtin_names, spec_folder
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.run.faults import Fault
from random_rules import random_rules
from small_games import GAMES, text_of

EDITIONS = ("nl+rainbow", "en+timed", "sv+avalanche", "hanab_live+expert", "nl+difficulty")


@cache
def small_systems(folder: Path) -> tuple[System, ...]:
    texts = {
        **{name: text_of(name) for name in GAMES},
        **{f"made{n}": random_rules(n, properties=2) for n in range(60)},
    }
    found = []
    for name, text in texts.items():
        path = folder / f"{name}.hrl"
        path.write_text(text)
        found.append(Game(merge(compose(str(path))), Settings({}, {}, {})).system(None))
    return tuple(found)


@cache
def built_in_systems() -> tuple[System, ...]:
    games = [load(spec) for spec in (*builtin_names(), *EDITIONS)]
    return tuple(game.system(players) for game in games for players in game.player_counts)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rules")


# ---- the form ------------------------------------------------------------------------------------------
def test_what_is_written_is_read_back(folder: Path) -> None:
    for system in (*built_in_systems(), *small_systems(folder)):
        again = read(write(system))
        assert again == canonical(system)
        assert write(again) == write(system)


def test_what_is_read_back_plays_the_same_games(folder: Path) -> None:
    """Bound names stand for the same things: that is seen where they are used."""
    for system in small_systems(folder)[::4]:
        sides = [Compiled(system), Compiled(read(write(system)))]
        random = Random(7)
        faces = [face for face, many in enumerate(system.deck.copies) for _ in range(many)] if system.deck else []
        for _ in range(3):
            random.shuffle(faces)
            assert played(sides[0], faces, Random(1)) == played(sides[1], faces, Random(1))


def played(compiled: Compiled, faces: list[int], random: Random) -> list[object]:
    told: list[object] = []
    try:
        dealt = compiled.deal(list(faces))
        state = compiled.start(dealt)
        for _ in range(30):
            told.append((compiled.snapshot(state), compiled.score(dealt, state)))
            legal = sorted(compiled.legal(dealt, state)) if not compiled.ended(state) else []
            if not legal:
                break
            state = compiled.step(dealt, state, random.choice(legal))
    except Fault as fault:
        told.append(str(fault))
    return told


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "1",
        '{"System":[]}',
        '{"Nothing":[1]}',
        '{"Lit":[1,{"BoolType":[]}]}',
        '{"Lit":5}',
        "[" * 9999,
        "{" * 99,
        "NaN",
        '{"Lit":[1.5,null]}',
        '{"exec":["1"]}',
        '{"__class__":[]}',
    ],
)
def test_no_other_text_is_read(text: str) -> None:
    with pytest.raises(Malformed):
        read(text)


# ---- what makes a difference, and what makes none ---------------------------------------------------------
@pytest.mark.deep
def test_ten_thousand_pairs_one_edit_apart(folder: Path) -> None:
    """No two share an identity."""
    random = Random(2026)
    made = 0
    for system in small_systems(folder):
        every = list(spots(system))
        mine = identity(system)
        for _ in range(110):
            assert identity(random_edit(system, every, random)) != mine
            made += 1
    for system in built_in_systems()[:: len(built_in_systems()) // 8]:
        every, mine = list(spots(system)), identity(system)
        for _ in range(40):
            assert identity(random_edit(system, every, random)) != mine
            made += 1
    assert made >= 10_000


def test_no_two_systems_share_an_identity(folder: Path) -> None:
    """But for copies: what differs in name only is the same."""
    known: dict[str, System] = {}
    for system in (*built_in_systems(), *small_systems(folder)):
        other = known.setdefault(identity(system), system)
        assert canonical(other) == canonical(system)
    assert len(known) > 100


@pytest.mark.parametrize("name", TRICKY)
def test_names_of_bound_variables_make_no_difference(name: str, folder: Path) -> None:
    for system in small_systems(folder)[:20]:
        for end in system.ends:
            for bound in quantifiers(end.condition):
                kinds = [Local(f"{name}{number}", binder.type) for number, binder in enumerate(bound.binders)]
                body = substitute(bound.body, dict(zip((b.name for b in bound.binders), kinds, strict=True)))
                again = Quant(bound.kind, tuple(kinds), body, bound.type)
                if not locals_in(bound):
                    assert form_of(again) == form_of(bound)


def quantifiers(value: object) -> Iterator[Quant]:
    return (spot.value for spot in spots((value,)) if isinstance(spot.value, Quant))


def test_a_bound_name_is_no_value_and_no_other_bound_name() -> None:
    mood = EnumType("Mood", ("v0", "v1", "v2"))
    x, y = Local("x", mood), Local("y", mood)

    def over(left: Local, right: Local) -> str:
        return form_of(Quant("exists", (x, y), Op("eq", (left, right), BOOL), BOOL))

    assert len({over(x, x), over(x, y), over(y, x), over(y, y)}) == 4
    assert over(x, y) == form_of(Quant("exists", (y, x), Op("eq", (y, x), BOOL), BOOL))


# ---- rule files --------------------------------------------------------------------------------------------
SHOUT = """variant shout extends base {{
  clause @shout "whoever is in the mood lays all fireworks at once"
  add enum Mood = v0 | v1 | v2  @shout
  add var mood : Mood           @shout
  add start {{ mood = v0 @shout }}
  add invariant calm : mood == v0  @shout
  add action shout(x : Mood, y : Mood) : move  @shout
    when mood == {mood} label mood             @shout
  {{
    for c : Card where not exists(suit[d] == suit[c] and rank[d] == rank[c] and index(d) < index(c) for d : Card) {{
      place[c]' = fireworks                    @shout
    }}                                         @shout
  }}
}}
"""


def run(*args: str) -> Result:
    return CliRunner(env={"COLUMNS": "80"}).invoke(cli, args, catch_exceptions=False)


def test_the_evidence_of_one_game_is_not_taken_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two games that print alike if bound names are numbered `v1`, `v2`: in one of them every deal is won at once.

    What the argument needs of the rules is proved of the other one, and of that alone.
    """
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name, mood in (("never", "v2"), ("always", "y")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "shout.hrl").write_text(SHOUT.format(mood=mood))
    never, always = (str(tmp_path / name / "shout.hrl") for name in ("never", "always"))
    said = run("winnable", never, "p2v0s220", "--json")
    assert json.loads(said.output)["answer"] == "unwinnable", said.output
    evidence = tmp_path / "evidence.json"
    evidence.write_text(said.output)
    assert run("certify", never, "p2v0s220", str(evidence)).exit_code == 0
    state = load(always).start(2, seed=1)
    won = state.step(state.action("shout", 0, 0))
    assert won.ended is not None
    assert won.score == 25
    refused = run("certify", always, "p2v0s220", str(evidence))
    assert refused.exit_code == 1
    assert "other rules" in refused.output


COPY = """variant copied extends base {
  clause @copied "the same, with something said of it"
  add invariant copied : blue_left <= blue_max  @copied
}
"""


def test_the_reference_engine_knows_rules_by_what_they_mean(tmp_path: Path) -> None:
    """Not by where their files lie, nor by what is stated of them besides."""
    shutil.copytree(spec_folder(), tmp_path / "spec")
    copied = tmp_path / "copied.hrl"
    copied.write_text(COPY)
    for spec in ("base", "rainbow", "nl"):
        assert known_rules(load(str(tmp_path / "spec" / f"{spec}.hrl")), 3) == known_rules(load(spec), 3)
    cuts = {"Suit": ["red", "blue"]}
    assert known_rules(load(str(copied), cuts=cuts), 2) == known_rules(load("base", cuts=cuts), 2)
    changed = tmp_path / "spec" / "base.hrl"
    changed.write_text(
        changed.read_text().replace("const blue_max = 8 + extra_blue", "const blue_max = 7 + extra_blue")
    )
    with pytest.raises(UnknownRules, match="other rules as `base`"):
        known_rules(load(str(changed)), 3)


def test_a_built_in_file_elsewhere_is_checked_like_the_built_in_one(tmp_path: Path) -> None:
    """As in a checkout beside an installed program."""
    shutil.copytree(spec_folder(), tmp_path / "spec")
    path = str(tmp_path / "spec" / "rainbow.hrl")
    said = run("check", path, "--players", "2", "--property", "score_bound", "--property", "maximum")
    assert said.exit_code == 0, said.output
    assert "not replayed" not in said.output


def test_games_are_kept_by_identity(tmp_path: Path) -> None:
    """What was found of some rules serves the same rules by another name, and no others."""
    system = load("base").system(2)
    faces = tuple(face for face, many in enumerate(system.deck.copies) for _ in range(many)) if system.deck else ()
    end = Obligation.of(ObligationKind.END, "something")
    shown = Verdict_of(end, Verdict.REACHED, "game", "", Trace(faces, ()))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "2.json").write_text(save(system, [shown]), encoding="utf-8")
    assert find(tmp_path, system, 2).games == {end: Trace(faces, ())}
    assert find(tmp_path, replace(system, parameters=()), 2) is NOTHING
    assert rules_identity(replace(system, properties=())) == rules_identity(system) != identity(system)
