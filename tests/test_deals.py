"""Deals and recorded games in every form: seeds, text, JSON, many lines; and what is said of bad ones."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabi_formal.api import Game, State, load
from hanabi_formal.cli.main import cli
from hanabi_formal.diagnostics.diagnostic import Diagnostic, Rejected
from hanabi_formal.diagnostics.render import render_editor, render_text
from hanabi_formal.diagnostics.source import SourceFile
from hanabi_formal.formats.deal_lines import deal_lines, open_deal_lines
from hanabi_formal.formats.deals import (
    SeedDeal,
    faces_of,
    open_deal,
    parse_chosen_seed,
    parse_deal,
    player_count,
    shuffled,
)
from hanabi_formal.formats.faces import check_deal, show_deal, sorted_faces
from hanabi_formal.formats.hanab_live import go_random
from hanabi_formal.formats.hanab_live.deck_numbers import as_record, is_no_variant
from hanabi_formal.formats.hanab_live.go_random import GoRandom, computed_words, fixed_words
from hanabi_formal.formats.hanab_live.recorder import ActionRecorder
from hanabi_formal.formats.hanab_live.records import ActionKind, GameRecord, RecordedAction, read_record
from hanabi_formal.formats.hanab_live.seeds import NO_VARIANT_LETTERS, Seed, crc64, seed_cards
from hanabi_formal.formats.inputs import MOST_BYTES
from hanabi_formal.formats.located_json import Json, parse_json
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.run.drivers import random_driver

HERE = Path(__file__).parent
DEALS = HERE / "deals"
SHARED = HERE.parent.parent / "shared" / "data"
SORTED = " ".join(f"{suit}{rank}" for suit in "rygbw" for rank in (1, 1, 1, 2, 2, 3, 3, 4, 4, 5))
LAW = settings(max_examples=30, derandomize=True, deadline=None, database=None)
SEEDS = {
    "p2v0s1": "b5 w4 b3 r4 g1 b3 b1 r1 g2 g4 r2 b2 g2 w1 r2 r1 b1 y3 y4 r1 y4 g4 w2 w3 w1 r4 g5 y2 w1 y1 y5 y1 g3 r5 w3 y2 b1 g3 y3 b4 y1 r3 b4 r3 g1 b2 g1 w4 w5 w2",
    "p5v0s9": "w4 g1 y1 y4 g5 b2 b1 g3 b3 g2 r3 b4 g1 r1 y1 r4 b2 y2 b1 b5 r1 w1 g2 y3 w3 y4 r1 g4 w3 y3 w2 y2 y1 w1 g4 b3 w1 w5 g1 b4 r5 w2 w4 r2 y5 b1 r4 r2 g3 r3",
    "p5v0s10": "y4 y1 b1 w3 y4 r1 y1 g5 w1 b4 g2 r1 g1 r2 w1 r1 w5 g4 w3 y3 b5 g3 w4 r3 w2 g2 r5 b2 y5 w2 y1 g1 w4 w1 b1 g4 r3 y3 b3 y2 y2 b2 b4 b1 b3 g3 g1 r4 r2 r4",
}


@cache
def game(spec: str) -> Game:
    return load(spec)


def base(players: int = 2) -> System:
    return game("base").system(players)


@cache
def systems() -> tuple[System, ...]:
    """Decks of different kinds: theirs, one more suit, fewer suits, other suits altogether."""
    cut = load("base", cuts={"Suit": ["blue", "red"], "Rank": ["1", "2", "3"]})
    solitaire = game(str(HERE / "games" / "solitaire.hrl")).system()
    return base(), game("nl+avalanche").system(3), cut.system(2), solitaire


def run(*args: str, given: bytes = b"") -> Result:
    return CliRunner(env={"COLUMNS": "80"}).invoke(cli, args, input=given, catch_exceptions=False)


def faces_given(deal: str, system: System) -> tuple[int, ...]:
    return faces_of(open_deal(deal), system)


def read_record_of(text: str) -> GameRecord:
    return read_record(parse_json(SourceFile("<game>", text)))


def refused(work: Callable[[], object]) -> Diagnostic:
    with pytest.raises(Rejected) as caught:
        work()
    (found,) = caught.value.diagnostics
    assert render_text([found])
    return found


# ---- Go's random numbers -----------------------------------------------------------------------------
def test_the_first_numbers_of_go() -> None:
    generator = GoRandom(1)
    assert [generator.int63() for _ in range(3)] == [5577006791947779410, 8674665223082153551, 6129484611666145821]


def test_the_first_small_numbers_of_go() -> None:
    generator = GoRandom(1)
    assert [generator.below(100) for _ in range(10)] == [81, 87, 47, 59, 81, 18, 25, 40, 56, 0]


def test_seeds_of_go_are_taken_modulo_a_prime() -> None:
    prime = 2**31 - 1
    for one, other in ((1, 1 + prime), (-1, prime - 1), (0, 89_482_311), (-(2**63), -(2**63) % prime)):
        assert [GoRandom(one).uint64()] == [GoRandom(other).uint64()]


def test_a_bound_of_one_uses_a_number_up() -> None:
    one, other = GoRandom(5), GoRandom(5)
    assert one.below(1) == 0
    other.uint64()
    assert one.uint64() == other.uint64()


def test_the_leap_is_as_good_as_the_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """From a few steps that can be taken one by one; the number of them is no multiple of anything."""
    words = list(go_random._seeded(1, 20, 10))
    tap, feed = 0, go_random.FEED
    for _ in range(12_345):
        tap, feed = (tap - 1) % 607, (feed - 1) % 607
        words[feed] = (words[feed] + words[tap]) % 2**64
    monkeypatch.setattr(go_random, "STEPS", 12_345)
    assert list(computed_words()) == words


@pytest.fixture
def forgetful() -> None:
    fixed_words.cache_clear()


@pytest.mark.usefixtures("forgetful")
def test_the_words_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "not" / "there"
    words = fixed_words(folder)
    assert [path.name for path in folder.iterdir()] == [go_random.FILE_NAME]
    monkeypatch.setattr(go_random, "computed_words", lambda: pytest.fail("computed again"))
    fixed_words.cache_clear()
    assert fixed_words(folder) == words


@pytest.mark.usefixtures("forgetful")
@pytest.mark.parametrize(
    "spoil", [lambda data: data[:-1], lambda data: b"", lambda data: data[:99] + b"!" + data[100:]]
)
def test_words_that_were_spoilt_are_computed_again(tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    words = fixed_words(tmp_path)
    path = tmp_path / go_random.FILE_NAME
    good = path.read_bytes()
    path.write_bytes(spoil(good))
    fixed_words.cache_clear()
    assert fixed_words(tmp_path) == words
    assert path.read_bytes() == good


@pytest.mark.usefixtures("forgetful")
def test_a_folder_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert fixed_words(tmp_path / "file") == fixed_words(None)


@pytest.mark.usefixtures("forgetful")
def test_seeds_are_quick(tmp_path: Path) -> None:
    def seconds() -> float:
        fixed_words.cache_clear()
        before = time.process_time()
        seed_cards(Seed("p3v0s17", 3), tmp_path)
        return time.process_time() - before

    assert seconds() < 1
    assert min(seconds() for _ in range(3)) < 0.1


# ---- seeds -------------------------------------------------------------------------------------------
def test_the_checksum() -> None:
    """The check value of the catalogue of such sums."""
    assert crc64(b"123456789") == 0x995DC9BBDF1939FA
    assert crc64(b"") == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_a_seed(seed: str) -> None:
    system = base(int(seed[1]))
    assert show_deal(faces_given(seed, system), system) == SEEDS[seed]
    assert run("deal", "--seed", seed).stdout == f"{SEEDS[seed]}\n"


@pytest.mark.skipif(not (SHARED / "seeds.jsonl").exists(), reason="needs the list of known seeds")
def test_all_known_seeds() -> None:
    lines = (SHARED / "seeds.jsonl").read_text().splitlines()
    assert len(lines) == 40
    for known in map(json.loads, lines):
        assert " ".join(seed_cards(Seed(known["seed"], int(known["seed"][1])))) == known["deck"]


@pytest.mark.parametrize("text", ["p2v0s1", " p2v0s1\n", '{"seed": "p2v0s1"}', '{"players": 2, "deck": "p2v0s1"}'])
def test_a_seed_is_a_deal_wherever_a_deal_is_read(text: str) -> None:
    assert game("base").start(players=2, deal=text).deal == SEEDS["p2v0s1"]
    assert faces_given(text, base()) == shuffled(base(), "p2v0s1")


def test_a_seed_may_end_in_any_word() -> None:
    deals = {shuffled(base(), f"p2v0s{rest}") for rest in ("1", "01", "a_b", "é", "s", "p2v0s1", "-" * 100)}
    assert len(deals) == 7
    assert all(check_deal(deal, base()) for deal in deals)


def test_six_seats() -> None:
    system = game("hanab_live").system(6)
    assert len(faces_given("p6v0s1", system)) == 50


def test_the_api_takes_both_kinds_of_seed() -> None:
    assert game("base").start(players=2, seed="p2v0s1").deal == SEEDS["p2v0s1"]
    assert game("base").start(players=2, seed="17").deal != game("base").start(players=2, seed="p2v0s17").deal


def test_numbers_are_numbers() -> None:
    assert parse_chosen_seed("007") == parse_chosen_seed(" 7") == 7
    assert parse_chosen_seed("-7") == -7
    chosen = parse_chosen_seed("p2v0s1")
    assert isinstance(chosen, SeedDeal)
    assert chosen.players == 2


@pytest.mark.parametrize(
    "text",
    [
        *("p2v0s", "p2v0", "p02v0s1", "p2v00s1", "pv0s1", "P2v0s1", "p2v0s\0", "p2v0s" + "x" * 500),
        *("p2v0s1\n2", "p2v0s1 2", "p2v0s1,2", "p6v0s85    0742", "p3v0s806961,1,"),
    ],
)
def test_no_seed(text: str) -> None:
    found = refused(lambda: parse_deal(text, base()))
    assert (found.code, "is no seed of hanab.live" in found.message) == ("HRL600", True)
    assert found.labels
    assert found.help


def test_the_player_count_of_a_deal() -> None:
    assert player_count(open_deal("p3v0s1"), (2, 3), "any") == 3
    assert player_count(open_deal("p3v0s1"), (), "any") is None
    assert player_count(open_deal("r1 r2"), (2, 3), "any") is None
    assert "for 2, 4" in refused(lambda: player_count(open_deal("p3v0s1"), (2, 4), "any")).message


# ---- round trips -------------------------------------------------------------------------------------
@LAW
@given(st.data())
def test_text_faces_and_json_are_the_same_deal(data: st.DataObject) -> None:
    system = data.draw(st.sampled_from(systems()))
    faces = tuple(data.draw(st.permutations(sorted_faces(system))))
    text = show_deal(faces, system)
    written = json.dumps(as_record(faces, system), indent=data.draw(st.sampled_from([None, 1])))
    assert parse_deal(text, system) == faces
    assert parse_deal(written, system) == faces
    assert parse_deal(json.dumps({"players": None, "deck": text}).replace('"players": null, ', ""), system) == faces


def test_theirs_is_numbered_by_colour_not_by_place() -> None:
    """A game with its suits in another order, or with few of them, still knows blue from red."""
    system = systems()[2]
    blue = {"suitIndex": 3, "rank": 1}
    record = read_record(parse_json(SourceFile("x", json.dumps({"deck": [blue] * 12}))))
    assert "b1 12 times instead of 3" in refused(lambda: faces_of(record, system)).message


def test_a_deck_of_ours_tells_its_suits() -> None:
    ours = as_record(shuffled(systems()[1], 1), systems()[1])
    assert ours["options"] == {"variant": "nl+avalanche"}
    assert ours["suits"] == ["red", "yellow", "green", "blue", "white", "multi"]
    assert len(parse_deal(json.dumps(ours), game("avalanche").system(3))) == 55
    assert "has no suit `multi`" in refused(lambda: parse_deal(json.dumps(ours), base(3))).message
    assert "suits" not in as_record(shuffled(base(), 1), base())
    assert [is_no_variant(system) for system in systems()] == [True, False, False, False]


def test_the_command_writes_what_hanab_live_reads() -> None:
    answer = json.loads(run("deal", "--seed", "p3v0s17", "--json").stdout)
    assert {"players", "deck", "actions", "options", "seed"} <= set(answer)
    assert (answer["players"], answer["options"], answer["seed"]) == (["Alice", "Bob", "Cathy"], {}, "p3v0s17")
    letters = [f"{NO_VARIANT_LETTERS[card['suitIndex']]}{card['rank']}" for card in answer["deck"]]
    assert " ".join(letters) == run("deal", "--seed", "p3v0s17").stdout.strip()
    assert parse_deal(json.dumps(answer), base(3)) == faces_given("p3v0s17", base(3))
    own = json.loads(run("deal", "--seed", "17", "--json").stdout)
    assert ("seed" in own, own["shuffle"]) == (False, 17)


@LAW
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(10**17), 10**17)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters(exclude_categories=["Cs"])),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
        max_leaves=20,
    ),
    st.booleans(),
)
def test_our_json_is_json(value: Any, escaped: bool) -> None:
    text = json.dumps(value, ensure_ascii=escaped, indent=1)
    found = parse_json(SourceFile("x", f" {text}\n"))
    assert plain(found) == value
    assert found.span.file.text[found.span.start : found.span.end] == text


def plain(node: Json) -> Any:
    match node.value:
        case dict(fields):
            return {key: plain(item) for key, item in fields.items()}
        case list(items):
            return [plain(item) for item in items]
        case value:
            return value


# ---- actions -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(("spec", "players"), [("base", 2), ("nl+rainbow", 3), ("hanab_live", 6)])
def test_actions_there_and_back(spec: str, players: int) -> None:
    for seed in range(5):
        state: State = game(spec).start(players, seed=seed)
        recorder, system = ActionRecorder(state.system), state.system
        driver, actions = random_driver(state.compiled, seed), []
        while state.legal():
            instance = state.compiled.decode(state.packed, driver(state.dealt, state.packed))
            recorded = recorder.recorded(instance)
            if recorded is None:
                assert instance.name == "abandon" or instance.args[1:] == (0,), "hanab.live cannot leave a token"
            else:
                actions.append(recorded)
                assert recorder.played(recorded) == instance
            state = state.step(state.action(instance.name, *instance.args))
        written = json.dumps(as_record(state.dealt[0], system, actions))
        record = read_record_of(written)
        assert record.actions == tuple(actions)
        assert faces_of(record, system) == tuple(state.dealt[0])
        again = ActionRecorder(system, record)
        assert [again.played(action) for action in record.actions] == [recorder.played(action) for action in actions]


def test_actions_in_numbers() -> None:
    recorder, state = ActionRecorder(base()), game("base").start(players=2, deal=SORTED)
    assert recorder.recorded(Instance("play", (7, 1))) == RecordedAction(ActionKind.PLAY, 7, 0)
    assert recorder.recorded(Instance("discard", (3, 1))) == RecordedAction(ActionKind.DISCARD, 3, 0)
    hints = {state.shown(a): recorder.recorded(a) for a in state.legal() if a.name == "hint"}
    assert hints["hint(1, colour(blue))"] == RecordedAction(ActionKind.COLOUR_HINT, 1, 3)
    assert hints["hint(1, value(4))"] == RecordedAction(ActionKind.VALUE_HINT, 1, 4)
    assert recorder.recorded(Instance("play", (7, 0))) is None
    assert recorder.recorded(Instance("pass", ())) is None


@pytest.mark.parametrize(
    "action",
    [
        (ActionKind.PLAY, 50, 0),
        (ActionKind.PLAY, -1, 0),
        (ActionKind.COLOUR_HINT, 1, 5),
        (ActionKind.VALUE_HINT, 1, 6),
        (ActionKind.VALUE_HINT, 2, 1),
        (ActionKind.ENDED, 0, 1),
        (ActionKind.VOTED, -1, 0),
    ],
)
def test_actions_that_the_game_does_not_have(action: tuple[ActionKind, int, int]) -> None:
    assert ActionRecorder(base()).played(RecordedAction(*action)) is None


def test_a_game_without_such_actions() -> None:
    solitaire = systems()[3]
    assert ActionRecorder(solitaire).recorded(Instance("build", (3,))) is None
    assert ActionRecorder(solitaire).played(RecordedAction(ActionKind.PLAY, 3)) is None


@pytest.mark.skipif(not (SHARED / "hanab-live-games.jsonl").exists(), reason="needs the real games")
def test_real_games_are_read() -> None:
    lines = (SHARED / "hanab-live-games.jsonl").read_text().splitlines()
    kinds = set()
    for line in lines:
        record = read_record_of(line)
        assert record.players is not None
        system = game("hanab_live").system(record.players)
        recorder = ActionRecorder(system, record)
        assert len(faces_of(record, system)) == 50
        for action in record.actions:
            kinds.add(action.kind)
            played = recorder.played(action)
            assert (played is None) == (action.kind is ActionKind.ENDED)
            assert played is None or recorder.recorded(played) == action
    assert (len(lines), kinds) == (95, {0, 1, 2, 3, 4})


# ---- where deals come from ---------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["game.json", "many_lines.txt"])
def test_a_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert show_deal(faces_given(str(DEALS / name), base()), base()) == SORTED
    data = (DEALS / name).read_bytes()
    shown = run("play", "base", "--deal", "-", given=data).stdout.splitlines()[1]
    assert shown == f"deal  {SORTED}"
    assert run("play", "base", "--deal", str(DEALS / name)).stdout.splitlines()[1] == shown
    monkeypatch.chdir(tmp_path)
    for plain_name in ("my deal", "p9", "ü", "r1"):
        Path(plain_name).write_bytes(b"\xef\xbb\xbf" + data)
        assert show_deal(faces_given(plain_name, base()), base()) == SORTED


def test_a_seed_goes_before_a_file_of_that_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p2v0s1").write_text(SORTED)
    assert show_deal(faces_given("p2v0s1", base()), base()) == SEEDS["p2v0s1"]
    assert show_deal(faces_given("./p2v0s1", base()), base()) == SORTED


def test_play_follows_the_deal() -> None:
    first, second = run("play", "base", "--seed", "p3v0s17").stdout.splitlines()[:2]
    assert first == "base, 3 players, seed p3v0s17, skilled"
    assert f"{second.removeprefix('deal  ')}\n" == run("deal", "--seed", "p3v0s17").stdout
    lines = run("play", "base", "--seed", "5", "--deal", "p3v0s17").stdout.splitlines()
    assert lines[:2] == ["base, 3 players, choices of seed 5, skilled", second]
    assert run("play", "base", "--deal", str(DEALS / "game.json")).stdout.startswith(
        "base, 2 players, choices of seed 0"
    )


def test_the_seed_chooses_where_there_is_no_deck(tmp_path: Path) -> None:
    text = "var x : 0..3 start { x = 0 } action up() when x < 3 { x' = x + 1 } end e over when x == 3 score = x"
    (tmp_path / "t.hrl").write_text(f"game t {{ {text} }}")
    assert run("play", str(tmp_path / "t.hrl"), "--seed", "5").exit_code == 0
    result = run("play", str(tmp_path / "t.hrl"), "--seed", "p2v0s1")
    assert (result.exit_code, "has no cards to deal" in result.stderr) == (2, True)


# ---- bad ones ----------------------------------------------------------------------------------------
# Most are in `transcripts/deal_mistakes.txt`; here are those that a transcript cannot show.
def test_too_long(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("r1 " * (MOST_BYTES // 3 + 1))
    for result in (
        run("play", "base", "--deal", str(path)),
        run("play", "base", "--deal", "-", given=path.read_bytes()),
    ):
        assert result.exit_code == 2
        assert "has more than 1,000,000 bytes; nothing that is asked for is that long" in result.stderr


@pytest.mark.parametrize(
    "text", ["r1 " * 300_000, "[" * 100_000, '{"deck": ' * 10_000, "x" * 900_000, '{"a":"' + "y" * 900_000]
)
def test_almost_too_long(text: str, tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text(text)
    result = run("play", "base", "--deal", str(tmp_path / "long.txt"))
    assert result.exit_code == 2
    assert "error[HRL600]" in result.stderr
    assert max(map(len, result.stderr.splitlines())) < 250


@pytest.mark.parametrize(("option", "verb"), [("--seed", "deal"), ("--seed", "play base"), ("--deal", "play base")])
@pytest.mark.parametrize("text", ["p2v0s\udcff", "\udcff", "r1 \udcff"])
def test_bytes_that_are_no_text_on_the_command_line(option: str, verb: str, text: str) -> None:
    for form in ([], ["--json"]):
        result = run(*verb.split(), option, text, *form)
        assert (result.exit_code, "HRL107" in result.output) == (2, True)


def test_standard_input_that_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    found = refused(lambda: open_deal("-"))
    assert (found.code, found.message) == ("HRL200", "cannot read standard input: it is closed")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"deck": "\\ud800"}', "half a character"),
        ('{"deck": NaN}', "`NaN` is no number"),
        ('{"deck": -Infinity}', "`-Infinity` is no number"),
        ('{"players": 123456789012345678901234567890}', "this number is too long"),
        ('{"deck": "r1\nr2"}', "goes on over the end of its line"),
        ('{"deck": "r1', "not closed"),
        ('{"deck" "r1"}', "a `:` is missing"),
        ('{"deck": [] "players": 2}', "a `,` or `}` is missing"),
        ('{"deck": "\\q"}', "this is no JSON"),
        ('{"players": 0, "deck": "r1"}', "no game of 0 players"),
        ('{"players": [], "deck": "r1"}', "no game of 0 players"),
        ('{"players": "two", "deck": "r1"}', "`players` is a text, not a whole number"),
        ('{"players": true, "deck": "r1"}', "`players` is true or false, not a whole number"),
        ('{"players": 2, "seed": "p3v0s1"}', "the seed is for 3 players, and the game has 2"),
        ('{"seed": 17}', "`seed` is a number, not a text"),
        ('{"seed": ""}', "neither `deck` nor `seed`"),
        ('{"deck": [3]}', "card 1 of the deck is a number, not an object"),
        ('{"deck": [], "actions": {}}', "`actions` is an object, not a list"),
        ('{"deck": [], "actions": [null]}', "action 1 is null, not an object"),
        ('{"deck": [], "options": []}', "`options` is a list, not an object"),
        ('{"deck": [], "options": {"variant": 3}}', "`variant` is a number, not a text"),
        ('{"deck": [], "suits": "r"}', "`suits` is a text, not a list"),
        ('{"deck": [], "score": "high"}', "`score` is a text"),
        ('{"deck": ""}', "the deal is empty"),
        ('{"deck": "\\u0072\\u0031 z1"}', "card 2 of the deal, `z1`"),
        ('{"deck": []}', "the deal has 0 cards"),
    ],
)
def test_bad_json(text: str, message: str) -> None:
    found = refused(lambda: parse_deal(text, base()))
    assert message in found.message
    assert found.code in ("HRL600", "HRL601")
    assert found.labels or message == "the deal has 0 cards"


def test_a_seed_that_is_not_known_does_no_harm_beside_a_deck() -> None:
    assert show_deal(parse_deal(json.dumps({"seed": "p2v99s1", "deck": SORTED}), base()), base()) == SORTED
    assert show_deal(parse_deal(json.dumps({"seed": "", "deck": SORTED}), base()), base()) == SORTED
    right = {"seed": "p2v0s1", "deck": SEEDS["p2v0s1"]}
    assert show_deal(parse_deal(json.dumps(right), base()), base()) == SEEDS["p2v0s1"]


SPOILT = [path.read_text() for path in sorted(DEALS.glob("*.json"))] + [
    SORTED,
    "p2v0s1",
    json.dumps(as_record(shuffled(base(), 1), base())),
]


@settings(LAW, max_examples=200)
@given(st.data())
def test_whatever_is_given_is_a_deal_or_refused(data: st.DataObject) -> None:
    """Texts with a piece cut out, doubled or replaced: never anything but a deal or a message with a place."""
    text = data.draw(st.sampled_from(SPOILT))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 12)))
        new = data.draw(
            st.sampled_from(["", text[start:end] * 2, "0", "-1", '"', "{", "]", ",", "null", " ", "r1", "\\"])
            | st.text(max_size=3)
        )
        text = text[:start] + new + text[end:]
    faces = sorted_faces(base())
    found: tuple[Diagnostic, ...] = ()
    try:
        faces = sorted(parse_deal(text, base()))
    except Rejected as problem:
        found = problem.diagnostics
    assert faces == sorted_faces(base())
    assert render_editor(found).count("\n") == len(found)
    assert bool(render_text(found)) == bool(found)


# ---- many lines --------------------------------------------------------------------------------------
def test_lines() -> None:
    found = [line.deal() for line in open_deal_lines(str(DEALS / "lines.jsonl"))]
    assert [(line.number, line.id, line.players) for line in found] == [(1, "deal 1", 2), (3, "deal 2", 5)]
    assert show_deal(found[1].faces(base(5)), base(5)) == SORTED
    assert "is for 5 players" in refused(lambda: found[1].faces(base(2))).message
    last = list(open_deal_lines(str(DEALS / "lines.jsonl")))[-1]
    assert "is for 5 players, not for 2" in refused(lambda: last.deal(2)).message


def test_lines_come_one_at_a_time() -> None:
    def endless() -> Any:
        number = 0
        while True:
            number += 1
            yield json.dumps({"id": number, "players": 2, "deck": f"p2v0s{number}"}).encode()

    lines = deal_lines(endless(), "endless")
    assert [next(lines).deal().id for _ in range(3)] == [1, 2, 3]
    assert show_deal(next(deal_lines(endless(), "endless")).deal().faces(base()), base()) == SEEDS["p2v0s1"]


def test_lines_may_say_less() -> None:
    """A number instead of a name; a seed instead of players and deck."""
    lines = [b'{"players": 2, "deck": "p2v0s1"}', b'{"seed": "p3v0s17"}']
    found = [line.deal() for line in deal_lines(lines, "short")]
    assert [(line.id, line.players) for line in found] == [(1, 2), (2, 3)]
    assert f"{show_deal(found[1].faces(base(3)), base(3))}\n" == run("deal", "--seed", "p3v0s17").stdout


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"id": 3}', "the line has no `players`"),
        (b'{"seed": "nonsense", "deck": "r1"}', "neither `players` nor the seed"),
        (b'{"id": "a", "players": 2}', "the line has no `deck`"),
        (b'{"id": null, "players": 2, "deck": "r1"}', "`id` is null, not a text or a whole number"),
        (b'{"id": "a", "players": 2, "deck": }', "a value is missing here"),
        (b"r1 y2", "this is no JSON"),
        (b'"r1 y2"', "the line is a text, not an object"),
        (b'{"id": "\xff"}', "not UTF-8"),
        (b"x" * (MOST_BYTES + 1), "line 3 of `many.jsonl` has more than 1,000,000 bytes"),
    ],
)
def test_a_bad_line(line: bytes, message: str) -> None:
    good = json.dumps({"id": "a", "players": 2, "deck": SORTED}).encode() + b"\r\n"
    lines = deal_lines([good, b"\n", line, good], "many.jsonl")
    assert next(lines).deal().number == 1
    found = refused(lambda: next(lines).deal())
    assert message in found.message
    if found.labels:
        assert re.match(r"many.jsonl:3:\d+: error\[", render_editor([found]))
        assert "\n3 │ " in render_text([found])


def test_a_bad_deck_in_a_line_is_shown_there() -> None:
    (line,) = deal_lines([b'{"id": "a", "players": 2, "deck": "r1 r2 q3"}'], "many.jsonl")
    assert render_editor([refused(lambda: line.deal().faces(base()))]).startswith(
        "many.jsonl:1:42: error[HRL600]: card 3"
    )


def test_a_file_of_lines_that_is_not_there() -> None:
    assert refused(lambda: next(open_deal_lines("nosuch.jsonl"))).code == "HRL200"
