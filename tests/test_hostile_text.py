"""Foreign text that would steer a terminal, from everywhere it can come from, through every verb."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabi_formal.cli.main import cli
from hanabi_formal.foreign.text import STEERING, clean, clean_json, clean_line, clean_painted

# A title for the window, the cursor moved, C1 controls, a direction turned, line separators, half a character.
EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\x00\x08\x7f\u202e\u2066\u2028\u2029\ufeff"
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
SMALL = """game small {
  clause @a "a"
  enum Phase = one | two @a
  var x : Phase @a
  start { x = one @a }
  action go() @a when x == one @a { x' = two @a }
  end done over when x == two @a
  score = 0 @a
}
"""
DECK = "r1 y3 b5 g1 w1 r2 y1 b1 g2 w2 r3 y2 b2 g3 w3 r4 y4 b3 g4 w4 r5 y5 b4 g5 w5 r1 r1 r2 r3 r4 y1 y1 y2 y3 y4 g1 g1 g2 g3 g4 b1 b1 b2 b3 b4 w1 w1 w2 w3 w4"


# ---- the cleaning ------------------------------------------------------------------------------------
@settings(deadline=None, derandomize=True)
@given(st.text(st.characters(), max_size=60))
def test_cleaning_leaves_nothing_that_steers(text: str) -> None:
    for cleaned in (clean(text), clean_line(text), clean_painted(text)):
        assert not FORBIDDEN.search(re.sub(r"\x1b\[[0-9;]*m", "", cleaned).replace("\r\n", ""))
    assert "\n" not in clean_line(text)
    assert "\x1b" not in clean(text) + clean_line(text)
    assert clean(clean(text)) == clean(text)


@settings(deadline=None, derandomize=True)
@given(st.text(st.characters(exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp")), max_size=60))
def test_cleaning_leaves_plain_text_alone(text: str) -> None:
    assert clean(text) == clean_line(text) == clean_painted(text) == text


JSONS = st.recursive(
    st.text(st.characters()) | st.integers() | st.none(),
    lambda s: st.lists(s) | st.dictionaries(st.text(st.characters()), s),
)


@settings(deadline=None, derandomize=True)
@given(JSONS)
def test_json_keeps_its_meaning(value: Any) -> None:
    for indent in (None, 2):
        text = clean_json(json.dumps(value, ensure_ascii=False, indent=indent))
        assert json.loads(text) == value
        assert not FORBIDDEN.search(text)


# ---- every verb --------------------------------------------------------------------------------------
def files(folder: Path) -> dict[str, str]:
    """Files of every kind with texts that would steer."""
    written = {
        "texts.hrl": f'variant texts extends base {{\n  clause @x.y "{EVIL}"\n  strengthen action hint when about != value(1) label ones @x.y\n}}',
        "small.hrl": SMALL,
        "comment.hrl": f"variant comment extends base {{ # {EVIL}\n}}",
        "bands.hrl": f'variant bands extends base {{\n  override bands {{ 0..: "{EVIL}" }}\n}}',
        "sources/table.toml": 'edition = "tabled"\n[clauses."x.y"]\ntext = "\\u001b[2J\\u009b31m\\u202e"\nstatus = "\\u001b"\n',
        "tabled.hrl": 'edition tabled extends base {\n  source "sources/table.toml"\n}',
        f"{EVIL.replace(chr(0), '')}.hrl": "variant strange extends base { nonsense }",
        "deal.txt": f"r1 y3 {EVIL}",
        "deal.json": json.dumps({"deck": DECK, "players": 3, "id": EVIL}),
        "deals.jsonl": json.dumps({"id": EVIL, "players": 2, "deck": DECK}, ensure_ascii=False)
        + "\n"
        + json.dumps({"id": EVIL, "seed": EVIL}),
        "game.json": json.dumps({"options": {"variant": EVIL}, "players": [EVIL, "b"], "deck": [], "actions": []}),
        "game.txt": f"base, 3 players\ndeal {DECK}\n{EVIL}",
        "evidence.json": json.dumps(
            {
                "answer": EVIL,
                "spec": EVIL,
                "rules": EVIL,
                EVIL: EVIL,
                "settings": {"set": {EVIL: 1}, "rulings": {EVIL: EVIL}},
            }
        ),
        "line.json": json.dumps({"answer": "winnable", "line": [{"action": EVIL, "args": []}]}),
    }
    (folder / "sources").mkdir()
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8")
    return {name: str(folder / name) for name in written}


COMMANDS = [
    ["check", "texts.hrl", "--static"],
    ["check", "comment.hrl", "--static"],
    ["check", "tabled.hrl", "--static"],
    ["check", "bands.hrl", "--static"],
    ["check", f"{EVIL.replace(chr(0), '')}.hrl", "--static"],
    ["check", EVIL],
    ["check", f"base+{EVIL}"],
    ["check", "base", "--set", f"{EVIL}=1"],
    ["check", "base", "--ruling", f"empty_hint={EVIL}"],
    [EVIL],
    [f"--{EVIL}"],
    ["check", "base", f"--players={EVIL}"],
    ["check", "small.hrl", "--property", EVIL],
    ["cite", "texts.hrl"],
    ["cite", "tabled.hrl"],
    ["cite", EVIL],
    ["explain", EVIL],
    ["fmt", "--check", "texts.hrl"],
    ["fmt", "--diff", "comment.hrl"],
    ["fmt", EVIL],
    ["play", "bands.hrl", "--players", "2"],
    ["play", "texts.hrl", "--players", "2"],
    ["play", "base", "--deal", EVIL],
    ["play", "base", "--players", "2", "--seed", EVIL],
    ["play", "base", "--deal", "deal.txt"],
    ["deal", "--seed", EVIL],
    ["deal", EVIL],
    ["winnable", "base", "deal.txt"],
    ["winnable", "base", EVIL],
    ["winnable", "base", "--deals", "deals.jsonl"],
    ["winnable", "base", "--game", "game.json"],
    ["certify", "base", DECK, "evidence.json", "--players", "2"],
    ["certify", "base", DECK, "line.json", "--players", "2"],
    ["certify", "base", DECK, EVIL, "--players", "2"],
    ["certify", "base", EVIL, "evidence.json"],
    ["replay", "base", "game.json"],
    ["replay", "base", "game.txt"],
    ["replay", "base", EVIL],
    ["replay", "base", "deals.jsonl"],
    ["diff", "base", "--impl", EVIL],
    ["diff", "base", "--impl", "open_spiel", "--seed", EVIL, "--games", EVIL],
]


def run(args: list[str], *more: str) -> Result:
    return CliRunner().invoke(cli, [*args, *more])


def told(args: list[str]) -> str:
    return " ".join(args).encode("unicode-escape").decode()[:60]


@pytest.mark.parametrize("args", COMMANDS, ids=told)
@pytest.mark.sampled(12)
def test_no_verb_lets_it_through(args: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = files(tmp_path)
    monkeypatch.chdir(tmp_path)
    args = [known.get(word, word) for word in args]
    for more in ((), ("--format", "editor"), ("--json",)):
        found = run(args, *more)
        assert found.exit_code in (0, 1, 2, 3), found.output
        for text in (found.stdout, found.stderr):
            assert not FORBIDDEN.search(text.replace("\r\n", "")), (more, text)
        if more == ("--json",):
            for line in [found.stdout] if found.stdout.startswith("{\n") else found.stdout.splitlines():
                json.loads(line)


# ---- implementations ----------------------------------------------------------------------------------
ENGINE = f"""
import json, sys
EVIL = {EVIL!r}
def out(what): print(json.dumps(what), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "hello":
        out({{"protocol": 1, "name": EVIL + "\\nno difference"}})
    elif asked["type"] == "start":
        HOW
    else:
        out({{"refused": EVIL + "\\nno difference\\n"}})
"""
ANSWERS = {
    "reason": 'out({"unsupported": EVIL + "\\nno difference"})',
    "cards": 'out({"state": {"hands": [[EVIL, EVIL]], "discards": [EVIL], "score": 3}})',
    "last words": "print(EVIL, file=sys.stderr, flush=True); sys.exit(1)",
    "babble": "print(EVIL, flush=True)",
    "refusal": 'out({"state": {"score": 7, "turn": 0}})',
}


@pytest.mark.parametrize("how", ANSWERS)
@pytest.mark.sampled(3)
def test_no_implementation_lets_it_through(how: str, tmp_path: Path) -> None:
    engine = tmp_path / "engine.py"
    engine.write_text(ENGINE.replace("HOW", ANSWERS[how]), encoding="utf-8")
    args = ["diff", "base", "--players", "2", "--games", "1", "--impl", f"{sys.executable} {engine}"]
    for more in ((), ("--json",)):
        found = run(args, "--out", str(tmp_path / "out"), *more)
        assert found.exit_code in (1, 3), found.output
        assert not FORBIDDEN.search(found.stdout + found.stderr)
        assert not re.search("^no difference", found.stdout, re.MULTILINE)
    for path in (tmp_path / "out").glob("*"):
        assert not FORBIDDEN.search(path.read_text(encoding="utf-8"))


# ---- a real terminal ----------------------------------------------------------------------------------
def on_a_terminal(args: list[str], folder: Path) -> str:
    """What a terminal is sent."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    command = [sys.executable, "-c", "from hanabi_formal.cli.main import main; main()", *args]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=environment):
        os.close(theirs)
        found = b""
        try:
            while data := os.read(ours, 65536):
                found += data
        except OSError:
            pass  # Linux says so when the other end is closed
    os.close(ours)
    return found.decode()


@pytest.mark.parametrize(
    "args",
    [
        ["check", "small.hrl"],
        ["check", "texts.hrl"],
        ["check", "tabled.hrl", "--static"],
        ["check", EVIL.replace("\x00", "")],
        ["diff", "base", "--players", "2", "--games", "1", "--impl", f"{sys.executable} engine.py"],
    ],
    ids=told,
)
def test_a_terminal_is_sent_our_own_colours_only(args: list[str], tmp_path: Path) -> None:
    files(tmp_path)
    (tmp_path / "engine.py").write_text(ENGINE.replace("HOW", ANSWERS["last words"]), encoding="utf-8")
    sent = on_a_terminal(args, tmp_path)
    assert sent
    ours = re.compile(r"\x1b\[[0-9;]*m|\r\x1b\[K|\r\n")
    assert not FORBIDDEN.search(ours.sub("", sent)), sent


def test_steering_characters_may_stand_nowhere_in_a_rule_file(tmp_path: Path) -> None:
    for char in "\x1b\x00\x07\x7f\x9b\u202e\u2066\u2028\ufeff":
        path = tmp_path / "rules.hrl"
        path.write_text(f"variant rules extends base {{ # a {char} b\n}}", encoding="utf-8")
        found = run(["check", str(path), "--static"])
        assert found.exit_code == 2
        assert f"U+{ord(char):04X}" in found.stderr
        assert STEERING.search(char)
