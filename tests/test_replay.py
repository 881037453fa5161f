"""Recorded games, in every form, under several rules."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabi_formal.api import State, load
from hanabi_formal.cli.main import cli
from hanabi_formal.compose.settings import Settings
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.diagnostics.source import SourceFile, Span
from hanabi_formal.formats.deals import faces_of
from hanabi_formal.formats.games import open_games
from hanabi_formal.formats.hanab_live.deck_numbers import as_record
from hanabi_formal.formats.hanab_live.links import as_link, looks_like_link, read_link
from hanabi_formal.formats.hanab_live.records import ActionKind, GameRecord, RecordedAction
from hanabi_formal.formats.hanab_live.seeds import Seed, seed_cards
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import show_value
from hanabi_formal.replays.lost import find_loss
from hanabi_formal.replays.outcome import Replayed
from hanabi_formal.replays.recorded import Library, exported
from hanabi_formal.roles.entries import maximum_of

REAL = Path(__file__).parent.parent.parent / "shared" / "data" / "hanab-live-games.jsonl"
# Public links: one to the deck of a seed, and one without.
WITH_SEED = (
    "https://hanab.live/shared-replay-json/415ifirpxqufunsxcwgc-tbokayavlbjdgwqvekus-pdfanhhmkrpml,03tdeh-sbxckceeeisbkdeg1bep"
    "-edodeleufaerxaexwdez-fjgcfbffeswaeywcf5en-fvfqe2eo1bgce7emf3f4-ewf0tctdeHeIecocekkb-obe1fJf8f6et,0,p4v0s1#33"
)
PLAIN = (
    "https://hanab.live/shared-replay-json/415howrnrhjibpqadkaq-glbsvtsfvpnulfyxumcc-kxeiwkagpufdm,02fcla-dkdpoblddqdolcefdsob"
    "-ddduejdtidicdydrdwrc-,0#23"
)


def run(*args: str, input: str | None = None) -> Result:
    return CliRunner().invoke(cli, args, catch_exceptions=False, input=input)


@cache
def library(spec: str) -> Library:
    return Library(spec, Settings({}, {}, {}))


def replayed(spec: str, given: str) -> Replayed:
    (found,) = open_games(given).each
    assert not isinstance(found.content, Rejected)
    return library(spec).replay(found.content)


def link(text: str) -> GameRecord:
    return read_link(Span(SourceFile("link", text), 0, len(text)))


# ---- links -------------------------------------------------------------------------------------------
def test_a_public_link_holds_the_deck_of_its_seed() -> None:
    record = link(WITH_SEED)
    assert record.players == 4
    assert record.seed == Seed("p4v0s1", 4)
    names = [f"{'rygbw'[card.suit]}{card.rank}" for card in record.deck or () if not isinstance(card, str)]  # type: ignore[union-attr]
    assert names == seed_cards(record.seed)
    assert replayed("hanab_live", WITH_SEED).legal


def test_a_public_link_comes_back_as_it_was() -> None:
    """Everything but the address and the hyphens, which stand elsewhere in links of another length."""
    assert link(PLAIN).actions[:3] == (
        RecordedAction(ActionKind.COLOUR_HINT, 2, 0),
        RecordedAction(ActionKind.COLOUR_HINT, 0, 2),
        RecordedAction(ActionKind.PLAY, 10),
    )
    again = as_link(exported(replayed("hanab_live", PLAIN)))
    packed = PLAIN.partition("json/")[2].partition("#")[0].replace("-", "")
    assert again.partition("json/")[2].replace("-", "") == packed


@given(
    st.sampled_from([2, 6]),
    st.integers(0, 999),
    st.lists(st.tuples(st.sampled_from(ActionKind), st.integers(0, 49), st.integers(0, 5))),
)
@settings(max_examples=30, derandomize=True, deadline=None, database=None)
@pytest.mark.deep
def test_every_game_fits_and_comes_back(players: int, seed: int, actions: list[tuple[ActionKind, int, int]]) -> None:
    state = load("hanab_live").start(players, seed=seed)
    listed = tuple(RecordedAction(*action) for action in actions)
    packed = as_link(as_record(state.dealt[0], state.system, listed))
    assert looks_like_link(packed)
    record = link(packed)
    assert faces_of(record, state.system) == tuple(state.dealt[0])
    assert record.actions == listed


def test_games_that_fit_into_no_link_are_refused() -> None:
    state = load("avalanche").start(2, seed=1)
    with pytest.raises(Rejected, match="No Variant"):
        as_link(as_record(state.dealt[0], state.system))
    for text in ("replay-json/4", "replay-json/415!,00,0", "replay-json/415aa,0,0", "replay-json/415aa,00a,0"):
        with pytest.raises(Rejected, match="no link"):
            link(text)


# ---- text --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("spec", "players"), [("nl+rainbow", 4), ("sv+timed+expert", 3)])
def test_what_play_prints_can_be_replayed(spec: str, players: int) -> None:
    played = run("play", spec, "--players", str(players), "--seed", "11")
    again = run("replay", spec, "-", input=played.stdout)
    assert again.exit_code == 0, again.output
    assert played.stdout.splitlines()[-1] in again.stdout


def test_forms_of_one_game_are_the_same() -> None:
    text = run("play", "hanab_live", "--players", "3", "--seed", "p3v0s17").stdout
    first = replayed("hanab_live", text)
    for form in ("json", "link"):
        shown = run("replay", "hanab_live", "-", "--export", form, input=text).stdout.strip()
        again = replayed("hanab_live", shown)
        assert (again.faces, again.actions, again.last.score) == (first.faces, first.actions, first.last.score)


# ---- answers -----------------------------------------------------------------------------------------
def test_figures() -> None:
    """Pace at the start is what players know it to be; the most within reach falls with the last copy."""
    for players, pace in {2: 17, 5: 10}.items():
        text = run("play", "base", "--players", str(players), "--seed", "3", "--driver", "random").stdout
        found = replayed("base", text)
        assert found.first_figures.pace == pace
        assert found.first_figures.reachable_max == maximum_of(found.game.system(players)) == 25
        for turn in found.turns:
            after = turn.told.after
            places = after.compiled.snapshot(after.packed).values["place"]
            kind, cards = after.system.variable("place").type, after.deal.split()
            assert isinstance(places, tuple)
            gone = Counter(card for card, at in zip(cards, places) if show_value(kind, at) == "discards")
            lost = [card for card, many in gone.items() if many == cards.count(card)]
            reach = sum(min((int(card[1]) for card in lost if card[0] == suit), default=6) - 1 for suit in "rygbw")
            assert turn.figures.reachable_max == reach
            points = sum(show_value(kind, at) == "fireworks" for at in places)
            assert turn.figures.pace == points + 50 - after.value("drawn") + players - reach


def test_json() -> None:
    answer = json.loads(
        run("replay", "en", str(Path(__file__).parent / "replays" / "empty_hint.json"), "--json").stdout
    )
    assert answer["schema"] == 1
    assert (answer["legal"], answer["end"], answer["score"]) == (False, None, 0)
    assert answer["illegal"]["clauses"] == ["hint.empty"]
    assert answer["illegal"]["number"] == 2
    assert [turn["pace"] for turn in answer["turns"]] == [13]
    many = run("replay", "hanab_live", str(Path(__file__).parent / "replays" / "mixed.jsonl"), "--json")
    lines = [json.loads(line) for line in many.stdout.splitlines()]
    assert [line["line"] for line in lines] == [1, 2, 3, 4]
    assert lines[2]["end"]["name"] == "abandoned"
    assert lines[3]["diagnostics"][0]["code"] == "HRL601"
    assert many.exit_code == 2


@pytest.mark.parametrize("action", ["hint(1)", "hint()", "hint(0,)colour(red))", "hint(1, red, 1)", "play(1, true, 2)"])
def test_an_action_with_another_number_of_arguments(action: str) -> None:
    deal = run("deal", "--seed", "p2v0s1").stdout
    answer = run("replay", "base", f"2 players\ndeal  {deal}\n1  {action}\n")
    assert answer.exit_code == 2
    assert "takes 2 arguments; here are " in answer.output


def test_options_decide_rulings_unless_the_user_does() -> None:
    game: dict[str, Any] = json.loads(
        (Path(__file__).parent / "replays" / "empty_hint.json").read_text(encoding="utf-8")
    )
    game["options"] = {"emptyClues": True}
    assert run("replay", "en", json.dumps(game)).exit_code == 0
    assert run("replay", "en", json.dumps(game), "--ruling", "empty_hint=refused").exit_code == 1
    game["options"] = {"oneExtraCard": True}
    assert "oneExtraCard" in run("replay", "en", json.dumps(game)).output


# ---- real games --------------------------------------------------------------------------------------
def real_games() -> list[dict[str, Any]]:
    if not REAL.exists():
        pytest.skip("the recorded games are not here")
    return [json.loads(line) for line in REAL.read_text(encoding="utf-8").splitlines()]


def as_it_was(game: dict[str, Any]) -> None:
    found = replayed("hanab_live", json.dumps(game))
    assert found.legal
    assert found.last.ended is not None
    assert found.last.score == game["score"]


def by_the_book(game: dict[str, Any]) -> None:
    """Under the printed rules it is legal, and has an end or would play on; hanab.live stopped it early."""
    by_hand = game["actions"][-1]["type"] > 3
    found = replayed("en", json.dumps(game))
    from_pile = found.illegal is not None and found.illegal.reason == "`play` is refused by its guard `own`"
    assert found.legal != (by_hand or from_pile)
    if found.legal and found.last.ended is None:
        assert {name for other, _ in found.ends_under for name, _ in other.choice} <= {
            "hopeless",
            "perfect_in_last_round",
        }
        assert found.ends_under
    elif found.legal:
        assert found.last.score == game["score"]


@pytest.mark.parametrize("number", [17, 30, 44])
def test_some_real_games(number: int) -> None:
    game = real_games()[number - 1]
    as_it_was(game)
    if game["playerCount"] < 6:
        by_the_book(game)


@pytest.mark.slow
def test_all_real_games() -> None:
    games = real_games()
    assert len(games) == 95
    for game in games:
        as_it_was(game)
    for game in games:
        if game["playerCount"] < 6:
            by_the_book(game)


# ---- when a game was lost ------------------------------------------------------------------------------
def test_the_action_that_lost_a_game() -> None:
    """The middle is asked first; the figures already say that nothing can be won after a last copy is gone."""
    text = run("play", "base", "--players", "2", "--seed", "5", "--driver", "random").stdout
    found = replayed("base", text)
    gone = next(n for n, turn in enumerate(found.turns, 1) if (turn.figures.reachable_max or 0) < 25)
    asked: list[int] = []

    def until(last: int) -> Callable[[State, Sequence[Instance]], bool | None]:
        def is_winnable(state: State, before: Sequence[Instance]) -> bool | None:
            asked.append(len(before))
            return len(before) <= last

        return is_winnable

    for last in range(gone):
        asked.clear()
        lost = find_loss(found, 25, until(last))
        assert (lost.winnable, lost.lost, lost.undecided) == (last, last + 1, ())
        assert lost.by is not None
        assert lost.by.told.number == last + 1
        assert len(asked) <= gone.bit_length() + 1
        assert max(asked, default=0) < gone
    assert find_loss(found, 25, until(-1)).from_the_start
    nothing = find_loss(found, 25, lambda state, before: None)
    assert (nothing.winnable, nothing.lost, nothing.by) == (None, gone, None)
    assert nothing.undecided == tuple(range(gone))


def test_a_game_that_was_won_was_never_lost() -> None:
    text = run("play", "base", "--deal", "p3v0s17").stdout
    found = replayed("base", text)
    assert found.last.score == 25
    assert str(find_loss(found, 25, lambda state, before: None)).startswith("never")


def test_lost_on_the_command_line() -> None:
    """A last copy is thrown away: the solver says that until then the deal could be won."""
    game = {
        "players": 3,
        "seed": "p3v0s17",
        "actions": [
            {"type": 3, "target": 1, "value": 5},
            {"type": 3, "target": 2, "value": 4},
            {"type": 0, "target": 12},
            {"type": 1, "target": 0},
        ],
    }
    told = run("replay", "en", json.dumps(game), "--lost")
    assert "lost  by action 4, seat 0  discard(b5#0, true): until then it could be won" in told.stdout
    data = json.loads(run("replay", "en", json.dumps(game), "--lost", "--json").stdout)
    assert data["lost"] == {"by": 4, "winnable_after": 3, "lost_after": 4, "undecided_after": []}
