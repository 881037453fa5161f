"""No game is shown that the hand-written engine does not play the same way, where it knows the rules at all."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from hanabi_formal.api import Game, load
from hanabi_formal.cli.main import cli
from hanabi_formal.cli.verdicts import gather as proofs
from hanabi_formal.engines.disagreement import Disagreement
from hanabi_formal.engines.second_opinion import Opinion, second_opinion
from hanabi_formal.kernel.trace import Instance, Trace
from hanabi_formal.prove.obligation import Obligation, ObligationKind, Result, Verdict
from hanabi_formal.reference import actions, ends, moves

GAMES = Path(__file__).parent / "games"
ALL = ("run", "interpreter", "reference")


def played(
    game: Game, players: int | None, seed: int, ends_seen: set[str] | None = None, never: str = "abandon"
) -> Trace:
    """A game to its end, with many hints so that it lasts."""
    choice = Random(seed)
    state = game.start(players=players, seed=seed)
    chosen = []
    while legal := state.legal():
        liked = [action for action in legal if action.name == "hint"]
        options = liked if liked and choice.random() < 0.4 else [a for a in legal if a.name != never]
        action = choice.choice(options)
        chosen.append(action)
        state = state.step(action)
    if ends_seen is not None:
        ends_seen.add(state.ended.name if state.ended is not None else "dead end")
    return Trace(tuple(state.dealt[0]), tuple(chosen))


def asked(game: Game, players: int | None, trace: Trace) -> Opinion:
    return second_opinion(game, players, trace.faces, trace.actions)


KNOWN: dict[str, dict[str, Any]] = {
    "base": {},
    "no+expert": {},
    "nl+rainbow": {"rulings": {"take_token": "must", "all_or_five": "five"}},
    "nl+difficulty": {"params": {"red_tokens": 1}},
    "en+timed": {},
    "sv+avalanche": {},
    "fi+timed+expert": {"rulings": {"stuck": "skipped", "announced_but_misfit": "misfit_and_token"}},
    "hanab_live+expert": {"rulings": {"deck_plays": "on"}, "params": {"red_tokens": 50}},
    "rainbow": {"cuts": {"Suit": ("multi", "blue", "red"), "Rank": ("1", "2", "3", "4")}},
    "timed": {"cuts": {"Suit": ("white", "green", "yellow")}, "params": {"red_tokens": 30, "extra_blue": 8}},
}


@pytest.mark.parametrize("spec", KNOWN)
def test_both_agree(spec: str) -> None:
    game = load(spec, **KNOWN[spec])
    for seed, players in enumerate((2, 3)):
        trace = played(game, players, seed)
        assert len(trace.actions) > 1
        assert asked(game, players, trace) == Opinion(ALL)


LONG: dict[str, tuple[str, dict[str, Any]]] = {
    "last_round": ("base", {"params": {"red_tokens": 100}}),
    "hopeless": (
        "base",
        {"rulings": {"hopeless": "stops"}, "params": {"red_tokens": 100}, "cuts": {"Suit": ("red", "blue")}},
    ),
    "dead end": ("expert", {"params": {"red_tokens": 127}, "rulings": {"misfit_is_discard": "no"}}),
    "stuck": ("expert", {"params": {"red_tokens": 127}, "rulings": {"misfit_is_discard": "no", "stuck": "lost"}}),
}


@pytest.mark.parametrize("end", LONG)
def test_long_games(end: str) -> None:
    spec, settings = LONG[end]
    game = load(spec, **settings)
    seen: set[str] = set()
    assert asked(game, 2, played(game, 2, 7, seen, never="discard" if spec == "expert" else "")).unknown is None
    assert seen == {end}


def test_unknown_rules(tmp_path: Path) -> None:
    mine = tmp_path / "mine.hrl"
    mine.write_text(
        'variant mine extends base {\n clause @mine "mine"\n add var spare : 0..1 @mine add start { spare = 0 @mine }\n}\n'
    )
    for spec, cuts, players, word in (
        (str(mine), {}, 2, "mine"),
        (f"nl+{mine}", {}, 3, "mine"),
        (str(GAMES / "solitaire.hrl"), {}, None, "solitaire"),
        ("base", {"Rank": ("2", "3", "4")}, 2, "cut away"),
    ):
        game = load(spec, cuts=cuts)
        opinion = asked(game, players, played(game, players, 1))
        assert opinion.replayed == ("run", "interpreter")
        assert opinion.unknown is not None
        assert word in opinion.unknown


def test_a_copy_is_known_by_what_it_means(tmp_path: Path) -> None:
    """Wherever it lies; what it is called does not matter."""
    copy = tmp_path / "rainbow.hrl"
    copy.write_text((Path(__file__).parent.parent / "spec" / "rainbow.hrl").read_text(encoding="utf-8"))
    game = load(str(copy))
    assert asked(game, 2, played(game, 2, 1)).unknown is None


# ---- differences -------------------------------------------------------------------------------------
def patch_no_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moves, "draw", lambda table: table)


def patch_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moves, "return_tokens", lambda table, tokens, take: table)


def patch_legality(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moves, "may", lambda table, action: action[0] != "hint" and actions.may(table, action))


def patch_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ends, "strikes_allowed", lambda table: 2)


def patch_worth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ends.OUTCOMES, "strikes", "over")


FAULTS = {
    "cards in": patch_no_draw,
    "blue_left": patch_tokens,
    "whether it goes on": patch_legality,
    "the end": patch_end,
    "the outcome": patch_worth,
}


@pytest.mark.parametrize("what", FAULTS)
def test_a_fault_of_an_engine_is_found(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = load("base")
    trace = played(game, 3, 2)
    assert asked(game, 3, trace).unknown is None
    FAULTS[what](monkeypatch)
    with pytest.raises(Disagreement) as caught:
        asked(game, 3, trace)
    assert caught.value.what.startswith(what)


def test_what_is_legal_at_the_end_of_a_game_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that shows a dead end shows it by what is not legal."""
    monkeypatch.setattr(actions, "hints", lambda table, seat: iter(()))
    game = load("base")
    with pytest.raises(Disagreement, match="what is legal"):
        asked(game, 2, Trace(game.start(2).dealt[0], ()))


def test_an_illegal_game_is_not_shown() -> None:
    game = load("base")
    with pytest.raises(Disagreement, match="IllegalAction"):
        asked(game, 2, Trace(game.start(2).dealt[0], (Instance("discard", (0, 1)),)))


# ---- the command line --------------------------------------------------------------------------------
class OneGame:
    """Stands in for the search: claims that a game shows something."""

    def __init__(self, compiled: object, players: int, *rest: object) -> None:
        self.players = players

    def results(self) -> Iterator[Result]:
        trace = played(load("base"), self.players, 2)
        over = Obligation.of(ObligationKind.END, "over")
        yield Result(over, Verdict.REACHED, "game", trace=trace, players=self.players)


@pytest.fixture
def one_game(monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform != "linux":
        pytest.skip("workers elsewhere start afresh, and know nothing of what is patched here")
    monkeypatch.setattr(proofs, "FullCheck", OneGame)


@pytest.mark.usefixtures("one_game")
def test_check_says_who_replayed_a_game() -> None:
    result = CliRunner().invoke(cli, ["check", "base", "--players", "3", "--json"])
    assert result.exit_code == 0, result.output
    (obligation,) = json.loads(result.stdout)["obligations"]
    assert obligation["trace"]["replayed"] == list(ALL)


@pytest.mark.usefixtures("one_game")
def test_check_stops_where_engines_disagree(monkeypatch: pytest.MonkeyPatch) -> None:
    patch_tokens(monkeypatch)
    result = CliRunner().invoke(cli, ["check", "base", "--players", "3", "--ruling", "loss_score=sum"])
    assert result.exit_code == 4
    assert result.stdout == ""
    for part in (
        "disagree",
        "blue_left",
        "specification:  base",
        "players:        3",
        "loss_score=sum",
        "deal: ",
        "play(",
    ):
        assert part in result.stderr
    assert "Traceback" not in result.stderr
    told = CliRunner().invoke(cli, ["check", "base", "--players", "3", "--json"])
    assert told.exit_code == 4
    assert json.loads(told.stdout)["disagreement"]["players"] == 3


@pytest.mark.usefixtures("one_game")
def test_check_says_what_was_not_replayed(tmp_path: Path) -> None:
    mine = tmp_path / "mine.hrl"
    mine.write_text(
        'variant mine extends base {\n clause @mine "mine"\n add var spare : 0..1 @mine add start { spare = 0 @mine }\n}\n'
    )
    result = CliRunner().invoke(cli, ["check", str(mine), "--players", "2"])
    assert "note: not replayed by the reference engine: it does not know `mine`\n" in result.stdout
    told = CliRunner().invoke(cli, ["check", str(mine), "--players", "2", "--json"])
    assert json.loads(told.stdout)["obligations"][0]["trace"]["replayed"] == ["run", "interpreter"]
