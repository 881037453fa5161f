"""Input that is made to hang, to exhaust or to break the program: it is refused in a sentence, at once."""

from __future__ import annotations

import base64
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabi_formal.cli.main import cli
from hanabi_formal.compose.units import compose
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.foreign.files import NotPlain, open_plain, read_plain
from hanabi_formal.foreign.strict_json import MOST_DEPTH, read_json

DECK = "r1 y3 b5 g1 w1 r2 y1 b1 g2 w2 r3 y2 b2 g3 w3 r4 y4 b3 g4 w4 r5 y5 b4 g5 w5 r1 r1 r2 r3 r4 y1 y1 y2 y3 y4 g1 g1 g2 g3 g4 b1 b1 b2 b3 b4 w1 w1 w2 w3 w4"
SECONDS = 20  # for what takes less than two on a machine that does nothing else


class Hangs(BaseException):
    """Not an `Exception`: nobody may catch it."""


@contextmanager
def limited(seconds: int = SECONDS) -> Iterator[None]:
    def stop(number: int, frame: object) -> None:
        raise Hangs

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def run(args: list[str], input: bytes | None = None) -> Result:
    with limited():
        return CliRunner().invoke(cli, args, input=input)


def refused(args: list[str], input: bytes | None = None) -> str:
    found = run(args, input)
    assert found.exit_code in (1, 2), (found.exit_code, found.output[-500:])
    assert "internal error" not in found.stderr
    return found.stderr or found.stdout


# ---- special files -----------------------------------------------------------------------------------
def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def _huge(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 36)  # of which the disk holds nothing


SPECIAL: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "zeros": lambda path: path.symlink_to("/dev/zero"),
    "noise": lambda path: path.symlink_to("/dev/urandom"),
    "terminal": lambda path: path.symlink_to("/dev/tty"),
    "socket": _socket,
    "folder": Path.mkdir,
    "loop": lambda path: path.symlink_to(path),
    "memory": lambda path: path.symlink_to("/proc/self/mem"),
    "messages": lambda path: path.symlink_to("/proc/kmsg"),
    "huge": _huge,
}
READERS = {
    ".hrl": [
        ["check", "{}", "--static"],
        ["check", "base+{}", "--static"],
        ["fmt", "{}"],
        ["fmt", "--diff", "{}"],
        ["cite", "{}"],
        ["play", "{}"],
        ["winnable", "{}", "p2v0s1"],
        ["diff", "{}", "--impl", "true"],
    ],
    ".json": [
        ["play", "base", "--deal", "{}"],
        ["winnable", "base", "{}"],
        ["winnable", "base", "--game", "{}"],
        ["certify", "base", "p2v0s1", "{}"],
        ["certify", "base", "{}", "{}"],
        ["replay", "base", "{}"],
    ],
    ".jsonl": [["winnable", "base", "--deals", "{}"], ["replay", "base", "{}"]],
    ".txt": [["play", "base", "--deal", "{}"], ["replay", "base", "{}"]],
}


@pytest.mark.parametrize("kind", SPECIAL)
@pytest.mark.sampled(5)
def test_special_files_are_refused_at_once(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for ending, commands in READERS.items():
        path = tmp_path / f"it{ending}"
        SPECIAL[kind](Path(path.name))
        for words in commands:
            assert refused([word.format(path.name) for word in words])


@pytest.mark.parametrize("kind", ["pipe", "zeros", "socket"])
def test_it_is_said_what_they_are(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.hrl"
    SPECIAL[kind](path)
    what = {"pipe": "a pipe", "zeros": "a device", "socket": "a socket"}[kind]
    assert f"it is {what}, not a plain file" in refused(["check", str(path)])
    assert "`-` reads standard input" in refused(["replay", "base", str(path)])
    with pytest.raises(NotPlain):
        open_plain(path)


def test_a_special_file_as_clause_table(tmp_path: Path) -> None:
    (tmp_path / "book.hrl").write_text('edition book extends base {\n  source "table.toml"\n}')
    os.mkfifo(tmp_path / "table.toml")
    assert "table.toml" in refused(["check", str(tmp_path / "book.hrl"), "--static"])


def test_a_special_file_that_is_extended(tmp_path: Path) -> None:
    (tmp_path / "mine.hrl").write_text("variant mine extends other { }")
    os.mkfifo(tmp_path / "other.hrl")
    assert "there is no specification `other`" in refused(["check", str(tmp_path / "mine.hrl"), "--static"])


def test_no_more_is_read_than_is_wanted(tmp_path: Path) -> None:
    _huge(tmp_path / "huge")
    assert len(read_plain(tmp_path / "huge", 1000)) == 1001


@pytest.mark.parametrize(
    "word", ["a\0.hrl", "a/\0", "base+x\0y", "\0", "\ud800.hrl", "x" * 100_000 + ".hrl", "a/" * 3000 + ".hrl"]
)
def test_names_that_no_file_can_have(word: str) -> None:
    with pytest.raises(Rejected):
        compose(word)
    for args in (
        ["fmt", word],
        ["winnable", "base", word],
        ["winnable", "base", "--deals", word],
        ["replay", "base", word],
        ["certify", "base", "p2v0s1", word],
    ):
        assert refused(args)


def test_standard_input_is_bounded() -> None:
    endless = b"r1 " * 1_000_000
    for args in (
        ["winnable", "base", "-"],
        ["replay", "base", "-"],
        ["fmt", "-"],
        ["winnable", "base", "--deals", "-"],
    ):
        assert "more than" in refused(args, endless)


# ---- JSON --------------------------------------------------------------------------------------------
@settings(deadline=None, derandomize=True)
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(10**17), 10**17)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=20,
    )
)
def test_json_is_read_as_it_is_written(value: Any) -> None:
    for ascii_only in (True, False):
        assert read_json(json.dumps(value, ensure_ascii=ascii_only)) == value


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        "[" * (MOST_DEPTH + 1) + "]" * (MOST_DEPTH + 1),
        "9" * 10_000,
        "NaN",
        "-Infinity",
        "1e999",
        '{"a": 1, "a": 2}',
        '[{"b": {"a": 1, "a": 1}}]',
        '"\\ud800"',
        '{"\\udfff": 1}',
        '"' + '\\"' * 300_000,
        "",
        "[",
    ],
)
def test_json_that_is_refused(text: str) -> None:
    with limited(5), pytest.raises(ValueError):
        read_json(text)


def test_brackets_in_texts_are_not_deep() -> None:
    assert read_json(json.dumps(["[" * 1000, '"[\\' * 1000])) == ["[" * 1000, '"[\\' * 1000]
    assert read_json("[" * MOST_DEPTH + "]" * MOST_DEPTH)


TEXTS: dict[str, bytes] = {
    "nothing": b"",
    "NUL": b"\0" * 100,
    "no text": b"\xff\xfe",
    "a mark alone": b"\xef\xbb\xbf",
    "deep list": b"[" * 100_000,
    "deep object": b'{"a":' * 100_000,
    "two deep lines": (b"[" * 100_000 + b"\n") * 2,
    "long number": b'{"players": ' + b"9" * 10_000 + b"}",
    "NaN": b'{"players": NaN, "deck": "r1"}',
    "infinite": b'{"players": 1e999, "deck": "r1"}',
    "half a character": b'{"players": 2, "deck": "\\ud800"}',
    "twice": b'{"deck": "r1", "deck": "r2"}',
    "never closed": b'"' + b'\\"' * 300_000,
    "long line": b"r1 " * 300_000,
    "blank": b"\n" * 900_000,
    "nested deck": b'{"players": 2, "deck": [[[[]]]]}',
    "nobody plays": b'{"players": -1, "deck": "r1"}',
    "many play": b'{"players": 1000000000000000, "deck": "r1"}',
    "long seed": b'{"seed": "p2v0s' + b"9" * 100_000 + b'"}',
    "seed for many": b'{"seed": "p99999999999v0s1"}',
    "another variant": b"p2v99999999999999999999s1",
    "strange cards": b'{"players":["a","b"],"deck":[{"suitIndex":-1,"rank":99999999999}],"actions":[{"type":99,"target":-5,"value":1}]}',
    "long link": b"https://hanab.live/replay-json/" + b"9" * 100_000,
    "long game": b"base, 2 players\ndeal " + DECK.encode() + b"\n" + b"play(r1#0)\n" * 20_000,
    "open brackets": b"base, 2 players\ndeal " + DECK.encode() + b"\n" + b"play(" * 20_000,
}


MEANINGFUL = {"long game"}  # of which the beginning is legal


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.sampled(8)
def test_no_text_breaks_a_reader(name: str, tmp_path: Path) -> None:
    for ending in (".json", ".jsonl", ".txt"):
        path = str(tmp_path / f"it{ending}")
        Path(path).write_bytes(TEXTS[name])
        for args in (
            ["play", "base", "--deal", path],
            ["winnable", "base", "--deals", path],
            ["winnable", "base", "--game", path],
            ["certify", "base", path, path],
            ["certify", "base", "p2v0s1", path],
            ["replay", "base", path],
        ):
            assert run(args).exit_code in ((0, 1, 2) if name in MEANINGFUL else (1, 2))
    given = TEXTS[name][:100_000].decode("utf-8", "surrogateescape")
    for args in (
        ["play", "base", "--deal", given],
        ["replay", "base", given],
        ["deal", "--seed", given],
        ["explain", given],
        ["check", given],
        ["check", "base", "--set", given],
        ["check", "base", "--ruling", given],
    ):
        assert run(args).exit_code in (0, 2)


# ---- evidence ------------------------------------------------------------------------------------------
def packed(text: bytes) -> str:
    return base64.b64encode(zlib.compress(text, 9)).decode()


def unrolled(**said: object) -> dict[str, Any]:
    return {"kind": "unrolled", "horizon": 2000, "clauses": "0" * 64, "lrat": packed(b""), **said}


CLAIMS: dict[str, tuple[dict[str, Any], str]] = {
    "many steps": (unrolled(), "so many steps are more than 300,000 clauses"),
    "many steps, a large number": (
        unrolled(lrat=packed(b"9" * 4000 + b" 0 1 0\n")),
        "so many steps are more than 380,",
    ),
    "many steps, a small number": (unrolled(lrat=packed(b"1 0 1 0\n")), "so many steps are more than 0 clauses"),
    "too many steps": (unrolled(horizon=10**17), "no number of steps"),
    "a proof of zeros": (unrolled(lrat=packed(b"0 " * (1 << 26))), "cut off"),
    "a proof of empty lines": (unrolled(kind="seats", lrat=packed(b"\n" * (1 << 26))), "clauses are not those"),
    "a number that is long": (unrolled(lrat=packed(b"9" * 5000 + b" 0 0\n")), "no step of a proof"),
    "no base 64": (unrolled(lrat="!" * 100_000), "cannot be unpacked"),
    "a large face": ({"kind": "argument", "argument": {"lost": 10**17}}, "so large a number"),
    "branches": (
        {"kind": "argument", "argument": {"room": 1, "since": 1, "unless later": [[1, {"lost": 1}]] * 20_000}},
        "leaves",
    ),
}


def limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


@pytest.mark.parametrize("name", CLAIMS)
@pytest.mark.sampled(4)
def test_a_large_claim_costs_little(name: str, tmp_path: Path) -> None:
    """In a gigabyte, libraries included, and a few seconds."""
    certificate, reason = CLAIMS[name]
    path = tmp_path / "evidence.json"
    path.write_text(json.dumps({"answer": "unwinnable", "certificate": certificate}))
    command = [
        sys.executable,
        "-c",
        "from hanabi_formal.cli.main import main; main()",
        "certify",
        "base",
        "p2v0s220",
        str(path),
    ]
    found = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit_memory, check=False)
    assert (found.returncode, found.stderr) == (1, "")
    assert reason in found.stdout


# ---- rule files ----------------------------------------------------------------------------------------
def rules(
    declared: str = "", start: str = "", guard: str = "", update: str = "", score: str = "0", more: str = ""
) -> str:
    return f"""game g {{
  clause @a "a"
  enum Phase = a | b @a
  {declared}
  var x : Phase @a
  start {{ x = a @a {start} }}
  action go() @a when x == a @a {guard} {{ x' = b @a {update} }}
  end done over when x == b @a
  score = {score} @a
  {more}
}}
"""


def chain(many: int, first: str, next: str) -> str:
    return "\n".join([first, *(next.format(this=number + 1, last=number) for number in range(many))])


RULES: dict[str, tuple[str, str]] = {
    "parentheses": (rules(score="(" * 20_000 + "1" + ")" * 20_000), "HRL105"),
    "negations": (rules(guard="when " + "not " * 20_000 + "true @a"), "HRL105"),
    "minus signs": (rules(score="- " * 20_000 + "1"), "HRL105"),
    "a long sum": (rules(score="+".join(["1"] * 20_000)), "HRL105"),
    "a long condition": (rules(guard="when " + " and ".join(["x == a"] * 6000) + " @a"), "HRL105"),
    "ifs": (rules(score="if x == a then 1 else " * 3000 + "1"), "HRL105"),
    "cases": (rules(update="case x == a { " * 3000 + "}" * 3000), "HRL105"),
    "open brackets": (rules(score="[" * 20_000), "HRL100"),
    "a large range": (rules("range Big = 0..1" + "0" * 30 + " @a"), "HRL307"),
    "a large number": (rules("const c = " + "9" * 50_000 + " @a"), "HRL307"),
    "squares of squares": (
        rules(chain(40, "const c0 = 999999999 @a", "const c{this} = c{last} * c{last} @a")),
        "HRL307",
    ),
    "definitions that double": (
        rules(
            chain(60, "def f0(n : 0..9) = n + n @a", "def f{this}(n : 0..9) = f{last}(n) + f{last}(n) @a"),
            score="f60(1)",
        ),
        "HRL105",
    ),
    "a definition by itself": (rules("def f(n : 0..9) = f(n) @a", score="f(1)"), "HRL210"),
    "many values": (rules("enum E = " + " | ".join(f"v{n}" for n in range(100_000)) + " @a"), "HRL106"),
    "many places": (rules("range T = 0..3999 @a var n[T, T, T] : T @a"), "HRL305"),
    "many cards": (
        rules("param many : 0..1000000 = 1000000 @a enum S = s @a cards Card(suit : S) copies many @a"),
        "HRL305",
    ),
    "many members": (rules("param many : 0..1000000000000000 = 1000000000000000 @a sort T = many @a"), "HRL305"),
    "many ways": (
        rules(more="action go2(a1 : 0..99, a2 : 0..99, a3 : 0..99, a4 : 0..99) @a when x == b @a { x' = a @a }"),
        "HRL305",
    ),
    "nested quantifiers": (
        rules(
            "range T = 0..99 @a var n[T] : 0..9 @a",
            "n[t] = 1 @a",
            "when forall(forall(forall(forall(n[p] + n[q] + n[r] + n[s] > 1 for s : T) for r : T) for q : T) for p : T) @a",
        ),
        "HRL305",
    ),
    "quantifiers nested in definitions": (
        rules(
            "range T = 0..999 @a var n[T] : 0..9 @a def f(p : T) = count(n[q] == n[p] for q : T) @a def g(p : T) = sum(f(q) for q : T) @a",
            "n[t] = 1 @a",
            score="sum(g(p) for p : T)",
        ),
        "HRL305",
    ),
    "a union of products": (rules("range T = 0..3000 @a union U = u(T, T, T) @a"), "HRL305"),
}


@pytest.mark.parametrize("name", RULES)
def test_large_rules_are_refused_at_once(name: str, tmp_path: Path) -> None:
    text, code = RULES[name]
    path = tmp_path / "g.hrl"
    path.write_text(text, encoding="utf-8")
    before = time.process_time()
    assert code in refused(["check", str(path), "--static"])
    assert time.process_time() - before < SECONDS


def test_the_rules_are_well_formed_but_for_their_size(tmp_path: Path) -> None:
    path = tmp_path / "g.hrl"
    path.write_text(
        rules(
            "range T = 0..9 @a var n[T] : 0..9 @a",
            "n[t] = 1 @a",
            "when forall(forall(forall(forall(n[p] + n[q] + n[r] + n[s] > 1 for s : T) for r : T) for q : T) for p : T) @a",
        )
    )
    found = run(["check", str(path), "--static"])
    assert (found.exit_code, found.stderr) == (0, "")


@pytest.mark.parametrize(
    "content", [b"\xff\xfe\x00", "variant x extends base {}".encode("utf-16"), b"variant x extends base { # \xe9\n}"]
)
def test_what_is_no_text_is_no_rule_file(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.hrl").write_bytes(content)
    assert "HRL107" in refused(["check", str(tmp_path / "x.hrl"), "--static"])


def test_a_long_chain_of_files(tmp_path: Path) -> None:
    (tmp_path / "c0.hrl").write_text("variant c0 extends base {}")
    for number in range(1, 80):
        (tmp_path / f"c{number}.hrl").write_text(f"variant c{number} extends c{number - 1} {{}}")
    assert "HRL105" in refused(["check", str(tmp_path / "c79.hrl"), "--static"])
