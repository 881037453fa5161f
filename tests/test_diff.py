"""Other implementations: their faults are found and shown in short games; and nothing they do stops us."""

from __future__ import annotations

import json
import shutil
import socket
import sys
import time
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result

from hanabi_formal.api import Game, load
from hanabi_formal.cli.main import cli
from hanabi_formal.conformance.difference import GameKind
from hanabi_formal.conformance.menu import Menu
from hanabi_formal.conformance.messages import Failed, Implementation, Setup
from hanabi_formal.conformance.orders import orders
from hanabi_formal.conformance.process.child import Child, _Guarded
from hanabi_formal.conformance.report import Reporter
from hanabi_formal.conformance.rulings.infer import KNOWS, Inference
from hanabi_formal.conformance.rulings.tell_apart import Boards
from hanabi_formal.conformance.styles import STYLES, StyledPlayer
from hanabi_formal.conformance.trial import ConformanceTrial, Findings
from hanabi_formal.roles.entries import Undeclared
from rules_engine import RulesEngine

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "docs" / "examples"
ENGINE = EXAMPLES / "engine.py"
PLAYED = {"empty_hint": "refused"}


@cache
def rules() -> Game:
    """The rules that the examples follow; made once, so that it is compiled once."""
    return load("base", rulings=PLAYED)


def tried(implementation: Implementation, games: int = 9, players: tuple[int, ...] = (2,)) -> Findings:
    try:
        return ConformanceTrial(rules(), implementation, players, games, tiny=False, explain=False).run()
    finally:
        implementation.close()


def child(source: str, tmp_path: Path, seconds: float = 5) -> Child:
    path = tmp_path / "engine.py"
    path.write_text(source, encoding="utf-8")
    return Child([sys.executable, str(path)], seconds=seconds)


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, args, catch_exceptions=False)


# ---- faults --------------------------------------------------------------------------------------------
# What is changed in the example, in which part of the game that shows, and how short the game can be that shows it.
FAULTS = {
    "hints without tokens": ('game["blue"] > 0', "True", "hint", 9),
    "hints to oneself": (' and action["to"] != game["turn"]', "", "hint", 1),
    "empty hints": (" and touched\n", "\n", "hint", 1),
    "discards with all tokens": ('game["blue"] < game["blue_tokens"])', "True)", "discard", 1),
    "no token for a firework": (' or (fits and rank == game["ranks"][-1])', "", "blue", 6),
    "tokens without limit": ('min(game["blue"] + gain, game["blue_tokens"])', 'game["blue"] + gain', "blue", 5),
    "one mistake too many": (
        'game["red"] == game["red_tokens"] or',
        'game["red"] > game["red_tokens"] or',
        "strikes",
        3,
    ),
    "one mistake too few": (
        'game["red"] == game["red_tokens"] or',
        'game["red"] + 1 >= game["red_tokens"] or',
        "ended",
        2,
    ),
    "a lost game keeps its points": ('0 if game["red"] == game["red_tokens"] else ', "", "score", 4),
    "a long last round": ('game["left"] == 0', 'game["left"] < 0', "last_round", 45),
    "a short last round": ('game["left"] == 0', 'game["left"] == 1', "ended", 45),
    "the other way round": ('game["turn"] + 1)', 'game["turn"] - 1)', "turn", 1),
    "the pile upside down": ("pop(0)", "pop()", "hands", 1),
    "hints for nothing": ('game["turn"]], -1', 'game["turn"]], 0', "blue", 1),
    "discards for nothing": ('gain = action["type"] == "discard" or', "gain =", "blue", 2),
    "mistakes vanish": ("[] if fits else [card]", '[] if fits or action["type"] == "play" else [card]', "discards", 1),
    "never perfect": ("perfect = sum", "perfect = 0 * sum", "perfect", 60),
    "any higher card fits": ("+ 1 == rank", "+ 1 <= rank", "red", 1),
    "new cards come first": ('hand += [game["pile"].pop(0)] if', 'hand[:0] = [game["pile"].pop(0)] if', "hands", 1),
    "plays draw nothing": (
        'action["type"] != "hint" and game["pile"]',
        'action["type"] == "discard" and game["pile"]',
        "pile",
        1,
    ),
}
QUICK = ("no token for a firework", "one mistake too many")


def test_the_example_has_no_fault(tmp_path: Path) -> None:
    found = tried(child(ENGINE.read_text(encoding="utf-8"), tmp_path), games=4)
    assert found.agrees
    assert found.refusals > 100
    assert all(item.done for item in found.coverage)


def check_fault(name: str, tmp_path: Path) -> None:
    old, new, where, length = FAULTS[name]
    source = ENGINE.read_text(encoding="utf-8")
    assert source.count(old) == 1, "the example has changed: so must the fault"
    # With two players every turn is the next one's.
    found = tried(child(source.replace(old, new), tmp_path), players=(3,) if where == "turn" else (2,))
    shown = [group.shortest for group in found.groups if where in group.shortest.cause]
    assert shown, [group.shortest.cause for group in found.groups]
    assert min(len(difference.played) for difference in shown) <= length


@pytest.mark.parametrize("name", QUICK)
def test_a_fault_is_found_and_shrunk(name: str, tmp_path: Path) -> None:
    check_fault(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FAULTS if name not in QUICK])
def test_every_fault_is_found_and_shrunk(name: str, tmp_path: Path) -> None:
    check_fault(name, tmp_path)


def test_the_report(tmp_path: Path, golden: Callable[[Path, str], None]) -> None:
    """What `diff` prints of an engine with two faults, and that its files can be replayed."""
    source = ENGINE.read_text(encoding="utf-8").replace(" and touched\n", "\n")
    (tmp_path / "engine.py").write_text(
        source.replace(' or (fits and rank == game["ranks"][-1])', ""), encoding="utf-8"
    )
    command = f"{sys.executable} {tmp_path / 'engine.py'}"
    args = ("diff", "base", "--ruling", "empty_hint=refused", "--impl", command, "--players", "2", "--games", "1")
    result = run(*args, "--out", str(tmp_path / "out"))
    assert result.exit_code == 1
    golden(HERE / "golden" / "diff.txt", result.output.replace(str(tmp_path), "…"))
    files = sorted((tmp_path / "out").iterdir())
    assert len(files) == 2
    for path, end in zip(files, ("illegal  action 1, hint", "stopped"), strict=True):
        command = next(
            line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("# hanabi-formal")
        )
        words = command.split()[2:]
        again = run(*(str(path) if word.endswith(".txt") else word for word in words))
        assert end in again.stdout, again.output


def test_the_report_as_data() -> None:
    command = f"{sys.executable} {ENGINE}"
    result = run("diff", "base", "--impl", command, "--players", "2", "--games", "1", "--json")
    data = json.loads(result.stdout)
    assert (result.exit_code, data["schema"], data["agrees"]) == (1, 1, False)
    (found,) = data["differences"]
    assert found["cause"] == ["refuses", "hint"]
    assert (found["agrees_under"], found["length"], found["actions"]) == ([{"empty_hint": "refused"}], 1, [])
    assert found["tried"][0].startswith("hint(1, ")


# ---- implementations that do not behave ------------------------------------------------------------------
PRELUDE = "import json, sys, time, os\ndef out(x): print(json.dumps(x), flush=True)\n"
LOOP = "for n, line in enumerate(sys.stdin):\n  m = json.loads(line)\n  if n == 0: out({'protocol': 1, 'name': 'bad'}); continue\n"
BAD = {
    "hangs": ("  time.sleep(60)\n", "timed out"),
    "hangs after some moves": ("  time.sleep(60 if n > 4 else 0); out({'state': {}})\n", "timed out"),
    "crashes": ("  raise ValueError('no such card')\n", "crashed"),
    "crashes at a play": (
        "  m.get('action', {}).get('type') == 'play' and os.abort(); out({'state': {}})\n",
        "crashed",
    ),
    "leaves": ("  sys.exit(0)\n", "crashed"),
    "says nothing in JSON": ("  print('hello', flush=True)\n", "babbled"),
    "says too much": ("  out({'state': {}}); out({'state': {}}); time.sleep(0.2)\n", "babbled"),
    "never stops talking": ("  [sys.stdout.write('x' * 100000) for _ in range(100)]\n", "babbled"),
    "counts in words": ("  out({'state': {'blue': 'eight'}})\n", "babbled"),
    "has no state": ("  out({'fine': True})\n", "babbled"),
    "lists strange moves": ("  out({'state': {'legal': [{'type': 'cheat'}]}})\n", "babbled"),
    "cards that are no cards": ("  out({'state': {'hands': 'none'}})\n", "babbled"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_implementation_is_a_result(name: str, tmp_path: Path) -> None:
    body, kind = BAD[name]
    began = time.monotonic()
    found = tried(child(PRELUDE + LOOP + body, tmp_path, seconds=0.3), games=3)
    assert not found.agrees
    failed = [group.shortest for group in found.groups if group.shortest.theirs is None]
    assert {difference.cause[0] for difference in failed} == {kind}
    assert min(len(difference.played) for difference in failed) <= 4
    assert time.monotonic() - began < 60, "time limits hold"


def test_one_that_cannot_be_spoken_to(tmp_path: Path) -> None:
    for source, word in (("raise SystemExit(3)", "exit code 3"), ("print('{\"protocol\": 9}')", "protocol 9")):
        (tmp_path / "bad.py").write_text(source, encoding="utf-8")
        result = run("diff", "base", "--impl", f"{sys.executable} {tmp_path / 'bad.py'}")
        assert result.exit_code == 2
        assert word in result.output
    for wanted, word in (
        ("", "no command"),
        ("/no/such/program", "cannot start"),
        ("'", "no command"),
        ("open_spil", "did you mean `open_spiel`?"),
        ("open-spiele", "did you mean `open_spiel`?"),
    ):
        result = run("diff", "base", "--impl", wanted)
        assert (result.exit_code, word in result.output) == (2, True), result.output


def test_strange_words_for_actions_are_passed_over(tmp_path: Path) -> None:
    source = ENGINE.read_text(encoding="utf-8").replace('"name": "engine.py"}', '"actions": [{}, 3, "pass", "fly"]}')
    asked = child(source, tmp_path)
    assert asked.knows == {"play", "discard", "hint", "pass"}
    asked.close()


def test_last_words_are_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever speaks and leaves before being spoken to is not said to have crashed without a word."""
    exchange = _Guarded.exchange

    def late(self: _Guarded, line: bytes, seconds: float) -> bytes:
        assert self._control.recv(100, socket.MSG_PEEK).startswith(b"ended")
        return exchange(self, line, seconds)

    monkeypatch.setattr(_Guarded, "exchange", late)
    with pytest.raises(Failed, match="protocol 9"):
        child("print('{\"protocol\": 9}')", tmp_path)
    with pytest.raises(Failed, match="exit code 3"):
        child("raise SystemExit(3)", tmp_path)


def test_a_process_takes_its_children_with_it(tmp_path: Path) -> None:
    marker = tmp_path / "alive"
    late = f"import time; time.sleep(1); open({str(marker)!r}, 'w')"
    begins = f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {late!r}])\n"
    source = begins + PRELUDE + LOOP + "  time.sleep(60)\n"
    asked = child(source, tmp_path, seconds=0.2)
    with pytest.raises(Failed, match="timed out"):
        asked.sit(Menu(rules(), 2, asked.knows).setup)
    time.sleep(1.5)
    assert not marker.exists()


def test_an_implementation_may_tell_little(tmp_path: Path) -> None:
    """What it does not know is left out, and not compared."""
    told = 'told = ("hands", "fireworks", "discards", "blue", "red", "turn", "ended")'
    source = ENGINE.read_text(encoding="utf-8")
    assert told in source
    source = source.replace(told, 'told = ("red",)').replace('{"pile": len(game["pile"]), "score": points}', "{}")
    assert tried(child(source, tmp_path), games=5).agrees


def reported(found: Findings, by: Implementation | None = None) -> list[str]:
    return list(Reporter(rules(), by or RulesEngine(rules())).lines(found))


def test_what_is_never_told_is_said(tmp_path: Path) -> None:
    """Nobody is to take silence for agreement."""
    source = PRELUDE + LOOP + "  out({'state': {}} if m['type'] == 'start' else {'refused': 'no'})\n"
    silent = reported(tried(child(source, tmp_path), games=1))
    assert any(
        line.startswith("note: it never tells whether the game has ended, mistakes, fireworks,") for line in silent
    )
    little = ENGINE.read_text(encoding="utf-8").replace(', "score": points}', "}")
    lines = reported(tried(child(little, tmp_path), games=1))
    assert lines[-2:] == ["note: it never tells score: not compared", "no difference in what could be compared"]


def test_what_is_known_when_interrupted(tmp_path: Path) -> None:
    asked = child(ENGINE.read_text(encoding="utf-8").replace(" and touched\n", "\n"), tmp_path)
    trial = ConformanceTrial(rules(), asked, (2,), 9, tiny=False, explain=False)

    def interrupted() -> None:
        raise KeyboardInterrupt

    trial._shrink = interrupted  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        trial.run()
    lines = reported(trial.so_far(), trial.implementation)
    asked.close()
    assert lines[-2:] == ["note: stopped before it was done", "1 cause of differences"]


def test_some_games_are_not_supported(tmp_path: Path) -> None:
    source = PRELUDE + LOOP + "  out({'unsupported': 'only six seats'})\n"
    found = tried(child(source, tmp_path))
    assert found.agrees
    assert reported(found)[-1] == "nothing was compared"
    assert found.states == 0
    assert list(found.unsupported.values()) == ["only six seats"]


# ---- examples --------------------------------------------------------------------------------------------
def test_the_page_shows_the_examples() -> None:
    page = (HERE.parent / "docs" / "protocol.md").read_text(encoding="utf-8")
    for name in ("engine.py", "engine.js"):
        assert (EXAMPLES / name).read_text(encoding="utf-8") in page


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_example_in_javascript() -> None:
    found = tried(Child(["node", str(EXAMPLES / "engine.js")]), players=(3,))
    assert found.agrees
    assert found.name == "example.js"


# ---- rulings ---------------------------------------------------------------------------------------------
BARE = frozenset({"play", "discard", "hint"})
OTHER_VALUES = [
    (name, value)
    for name, values in (
        ("empty_hint", ("refused",)),
        ("discard_at_full", ("allowed",)),
        ("take_token", ("may",)),
        ("loss_score", ("sum",)),
        ("perfect_in_last_round", ("plays_on",)),
        ("fit", ("literal",)),
        ("draw_after_fit", ("no",)),
        ("draw_on_end", ("yes",)),
        ("stuck", ("lost", "skipped")),
        ("red_limit", ("third",)),
        ("all_or_five", ("five",)),
        ("hopeless", ("stops",)),
    )
    for value in values
]


@cache
def boards(spec: str, knows: frozenset[str]) -> Boards:
    return Boards(load(spec), (2,), knows)


def drawn(spec: str, seed: int) -> dict[str, str]:
    """Any combination of rulings there is."""
    random = Random(f"{spec} {seed}")
    return {name: random.choice(values) for name, values in boards(spec, KNOWS).questions.rulings}


def alike(chosen: dict[str, str], values: dict[str, tuple[str, ...]], knows: frozenset[str]) -> set[tuple[str, ...]]:
    """The combinations that no game tells from this one; `test_what_no_game_tells_apart` says why."""
    free: dict[str, tuple[str, ...]] = {name: (value,) for name, value in chosen.items()}
    for name in ("red_limit", "all_or_five"):
        free[name] = values[name]
    if chosen["hopeless"] == "stops":
        free["perfect_in_last_round"] = values["perfect_in_last_round"]
    if "take" not in knows:
        free["take_token"] = values["take_token"]
    if chosen["draw_after_fit"] == "yes":
        free["stuck"] = values["stuck"]
    elif "pass" not in knows and chosen["fit"] == "literal" and chosen["stuck"] != "lost":
        # One hand can be played out, but not two; and that one is passed over cannot be said.
        free["stuck"] = ("unruled", "skipped")
    return set(product(*free.values()))


def check_inferred(spec: str, rulings: dict[str, str], lists: bool = True, knows: frozenset[str] = KNOWS) -> None:
    """All combinations that are alike are named, and no other."""
    engine = RulesEngine(load(spec, rulings=rulings), lists)
    engine.knows = knows
    found = Inference(boards(spec, knows), engine, 4).run()
    values = dict(boards(spec, knows).questions.rulings)
    chosen = dict(engine.game.system(2).rulings)
    assert {tuple(choice.values()) for choice in found.alike} == alike(chosen, values, knows)
    assert found.rulings == found.alike[0]
    assert found.is_product
    assert (found.left, found.given, found.same) == ((), (), ("red_limit",))
    assert "take" in knows or "take_token" in found.unsaid
    assert found.games <= 40


@pytest.mark.parametrize(("seed", "lists", "knows"), [(0, True, KNOWS), (1, False, BARE)], ids=["lists", "tried"])
@pytest.mark.sampled(1)
def test_a_combination_is_inferred(seed: int, lists: bool, knows: frozenset[str]) -> None:
    check_inferred("base", drawn("base", seed), lists, knows)


@pytest.mark.slow
@pytest.mark.parametrize("lists", [True, False], ids=["lists", "tried"])
@pytest.mark.parametrize(("name", "value"), OTHER_VALUES)
def test_every_ruling_is_inferred(name: str, value: str, lists: bool) -> None:
    check_inferred("base", {name: value}, lists)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 62))
def test_every_combination_is_inferred(seed: int) -> None:
    spec = ("base", "en")[seed % 2]
    check_inferred(spec, drawn(spec, seed), lists=seed % 3 != 0, knows=BARE if seed % 4 == 0 else KNOWS)


def test_the_values_are_all_there_are() -> None:
    values = dict(boards("base", KNOWS).questions.rulings)
    default = dict(load("base").system(2).rulings)
    assert [(name, v) for name, known in values.items() for v in known if v != default[name]] == OTHER_VALUES


@pytest.mark.deep
def test_rulings_of_an_engine_with_a_fault(tmp_path: Path) -> None:
    """What no ruling explains is told, and the rulings that it does not hide are found all the same."""
    source = ENGINE.read_text(encoding="utf-8").replace(" and touched\n", "\n")
    asked = child(source.replace(' or (fits and rank == game["ranks"][-1])', ""), tmp_path)
    try:
        found = Inference(boards("base", BARE), asked, 2).run()
    finally:
        asked.close()
    assert {group.shortest.cause[:3] for group in found.left} == {("differs", "blue", "play")}
    assert found.open.keys() == {"take_token", "stuck", "red_limit", "all_or_five"}
    assert found.rulings == {**dict(load("base").system(2).rulings), "empty_hint": "allowed"}


def test_an_engine_that_tells_little(tmp_path: Path) -> None:
    """Of what is not told nothing is inferred."""
    told = 'told = ("hands", "fireworks", "discards", "blue", "red", "turn", "ended")'
    source = ENGINE.read_text(encoding="utf-8").replace(told, told.replace('"blue", ', ""))
    asked = child(source.replace(', "score": points}', "}"), tmp_path)
    try:
        found = Inference(boards("base", BARE), asked, 2).run()
    finally:
        asked.close()
    assert not found.left
    assert found.open.keys() == {"take_token", "loss_score", "stuck", "red_limit", "all_or_five"}


# ---- announcements ---------------------------------------------------------------------------------------
def test_announcements_are_exercised() -> None:
    engine = RulesEngine(load("timed"))
    found = ConformanceTrial(load("timed"), engine, (2,), 6, tiny=False).run()
    assert found.agrees
    assert {item.order.name for item in found.coverage} >= {
        "case announce.two",
        "case announce.misfit",
        "case announce.wrong",
    }
    assert [item.order.name for item in found.coverage if not item.done] == []


def test_announcements_that_are_not_known() -> None:
    """That a part of the rules was not compared, and why, is said."""
    engine = RulesEngine(load("timed"))
    engine.knows = BARE
    found = ConformanceTrial(load("timed"), engine, (2,), 2, tiny=False).run()
    assert found.agrees
    missing = {item.order.name: item.unsaid for item in found.coverage if not item.done}
    assert missing["case announce.fit"].startswith("announce(…, ")
    assert not found.is_whole


def test_another_reading_of_announcements() -> None:
    engine = RulesEngine(load("timed", rulings={"announced_but_misfit": "misfit_and_token"}), lists=False)
    found = ConformanceTrial(load("timed"), engine, (2,), 20, tiny=False).run()
    (group,) = found.groups
    assert [dict(other.choice) for other in group.explained] == [{"announced_but_misfit": "misfit_and_token"}]
    assert group.shortest.cause[:3] == ("differs", "blue", "announce")
    assert len(group.shortest.played) == 2


@pytest.mark.deep
def test_announcements_are_inferred() -> None:
    engine = RulesEngine(load("timed", rulings={"announced_but_misfit": "misfit_and_token", "empty_hint": "refused"}))
    found = Inference(boards("timed", engine.knows), engine, 2).run()
    assert found.rulings == {
        **dict(load("timed").system(2).rulings),
        "announced_but_misfit": "misfit_and_token",
        "empty_hint": "refused",
    }
    assert not found.left


def test_announcements_by_the_protocol(tmp_path: Path) -> None:
    """The example with announcements added to it, and then with a token too few."""
    source = ENGINE.read_text(encoding="utf-8")
    for old, new in {
        'answer = {"protocol": 1, "name": "engine.py"}': 'answer = {"protocol": 1, "name": "timed.py", "actions": ["announce"]}',
        '(action["type"] == "play" or game["blue"]': '(action["type"] in ("play", "announce") or game["blue"]',
        'fits = action["type"] == "play" and game["fireworks"][suit] + 1 == rank': 'said = action["type"] == "announce"; right = not said or game["letters"][game["suits"].index(action["colour"])] == suit\n'
        '        fits = action["type"] != "discard" and right and game["fireworks"][suit] + 1 == rank',
        'game["red"] += action["type"] == "play" and not fits': 'game["red"] += action["type"] != "discard" and not fits',
        'gain = action["type"] == "discard" or (fits and rank == game["ranks"][-1])': 'gain = (action["type"] == "discard") + (fits and rank == game["ranks"][-1]) + (fits and said)',
    }.items():
        assert source.count(old) == 1
        source = source.replace(old, new)
    game = load("timed", rulings=PLAYED)
    for change, expected in ((source, 0), (source.replace("+ (fits and said)", ""), 1)):
        asked = child(change, tmp_path)
        try:
            found = ConformanceTrial(game, asked, (2,), 6, tiny=False, explain=False).run()
        finally:
            asked.close()
        assert len(found.groups) == expected
    assert found.groups[0].shortest.cause[:3] == ("differs", "blue", "announce")
    assert len(found.groups[0].shortest.played) == 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_what_no_game_tells_apart(seed: int, tmp_path: Path) -> None:
    """Proved of rules with some combination of rulings.

    With five suits, five fireworks are all. A perfect display can gain no more points, so if that ends the game, it
    ends: in the last round nothing is drawn any more, and all ends but lost ones score the same. Where every play is
    replaced, there always is a card to play.
    """
    path = tmp_path / "alike.hrl"
    path.write_text(
        """variant alike extends base {
      add invariant five_are_all :
        forall(complete(s) for s : Suit) == (count(complete(s) for s : Suit) >= min(5, size(Suit)))  @end.perfect
      add invariant perfect_is_hopeless : perfect() implies not exists(can_grow(s) for s : Suit)     @end.perfect
      add invariant late_is_empty : turns_left != players implies drawn == size(Card)                @end.last
    }""",
        encoding="utf-8",
    )
    chosen = drawn("base", seed) | {"hopeless": "stops", "stuck": "unruled", "draw_after_fit": "yes"}
    asked = [
        word
        for name in ("five_are_all", "perfect_is_hopeless", "late_is_empty", "always_a_move")
        for word in ("--property", name)
    ]
    decided = [word for name, value in chosen.items() for word in ("--ruling", f"{name}={value}")]
    result = run("check", str(path), "--players", "2", *asked, *decided)
    assert result.exit_code == 0, result.output
    assert "4 proved" in result.output


def test_rules_left_open_are_the_rules() -> None:
    """One executor for all combinations says what the one made for a combination says."""
    check_left_open("base", (2,), range(2))


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec", ["en", "en+avalanche", "nl+rainbow", "nl+difficulty", "hanab_live", "nl+expert", "sv+timed"]
)
def test_all_rules_left_open_are_the_rules(spec: str) -> None:
    check_left_open(spec, (2, 4), range(6))


def check_left_open(spec: str, players: tuple[int, ...], seeds: range) -> None:
    knows = KNOWS | {"abandon", "deck_play"}
    for count, seed in product(players, seeds):
        left_open = Boards(load(spec), (count,), knows)
        random = Random(f"{spec} {count} {seed}")
        choice = tuple(random.randrange(len(values)) for _, values in left_open.questions.rulings)
        board = left_open.board(GameKind(count))
        assert board is not None
        menu = Menu(load(spec, rulings=left_open.questions.chosen(choice)), count, knows)
        assert menu.moves == board.menu.moves
        player = StyledPlayer(menu, seed)
        for style in STYLES:
            deal = player.deal()
            dealt, there, names = menu.compiled.deal(deal), board.compiled.deal(deal), menu.names(deal)
            choose = player.chooser(style)
            state, other = menu.compiled.start(dealt), board.start(there, choice)
            while True:
                assert menu.seen(dealt, names, state) == board.seen(there, names, other)
                moves = menu.legal(dealt, state)
                assert frozenset(moves) == board.legal(there, other)
                if not moves:
                    break
                move = choose(dealt, state, moves)
                assert move is not None
                state, other = menu.step(dealt, state, move), board.menu.step(there, other, move)


# ---- our own side ----------------------------------------------------------------------------------------
def test_games_made_to_order_reach_everything() -> None:
    for count in (2, 5):
        missing = [order.name for order in orders(rules().system(count)) if order.trace is None]
        assert missing == []


def test_rules_without_an_interface_are_no_hanabi(tmp_path: Path) -> None:
    result = run("diff", str(HERE / "games" / "solitaire.hrl"), "--impl", "true")
    assert (result.exit_code, "no players" in result.output) == (2, True)
    (tmp_path / "bare.hrl").write_text(
        "game bare { param players : 2..2 sort P = players var n : 0..1 var t : P actor t start { n = 0 t = P(0) }"
        " action go() { n' = 1 } end over over when n == 1 score = 0 }",
        encoding="utf-8",
    )
    with pytest.raises(Undeclared, match="no interface"):
        Menu(load(str(tmp_path / "bare.hrl")), 2, frozenset())


def test_a_setup_says_all_there_is_to_know() -> None:
    setup: Setup = Menu(load("nl+rainbow"), 4, frozenset({"take"})).setup
    assert setup.data()["copies"][-1] == (1, 1, 1, 1, 1)
    assert (setup.hand_size, setup.blue_tokens, setup.red_tokens) == (4, 8, 3)
    assert len({*setup.moves}) == len(setup.moves) == 2 * 2 * 4 + 4 * (6 + 5)
