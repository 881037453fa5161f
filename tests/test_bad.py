"""Rule files with something wrong in them: each gets a message that helps, and never a traceback.

`tests/bad/NAME.hrl` is checked as it is, or as its first line says (`# spec: one.hrl+two.hrl`), and what comes out is
in `NAME.expected` beside it. Files that begin with `# helper` are only there for others.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hanabi_formal.cli.main import cli

BAD = Path(__file__).parent / "bad"
LOCATED = re.compile(r"^ *┌─ \S+:\d+:\d+$", re.MULTILINE)
ABOUT_THE_COMMAND_LINE = {"loose_plus", "missing_file", "named_twice", "not_a_file"}


def first_line(path: Path) -> str:
    return path.read_bytes().partition(b"\n")[0].decode("latin1")


FILES = [path for path in sorted(BAD.glob("*.hrl")) if not first_line(path).startswith("# helper")]


def check(spec: str, *options: str) -> Result:
    return CliRunner().invoke(cli, ["check", spec, "--static", *options], catch_exceptions=False)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_message(path: Path, golden: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BAD)
    said = re.match(r"# spec: (\S+)", first_line(path))
    result = check(said[1] if said else path.name)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    if path.stem not in ABOUT_THE_COMMAND_LINE:
        assert LOCATED.search(result.stderr)
    golden(path.with_suffix(".expected"), result.stderr)


def test_every_golden_file_has_its_source() -> None:
    assert {path.stem for path in BAD.glob("*.expected")} == {path.stem for path in FILES}


def test_the_helpers_are_well_formed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A message about a spoiled game says little if the game was not sound before."""
    monkeypatch.chdir(BAD)
    for name in ("toy", "green", "doubled", "last_end", "pace_fast"):
        assert check(f"{name}.hrl").exit_code == 0


# ---- too much of a good thing: made here rather than stored ------------------------------------------
def doubling(kind: str, first: str, more: str) -> str:
    """Definitions that use the one before twice: forty lines, and a million million parts."""
    lines = [
        f"  add {kind} f0() {first}",
        *(f"  add {kind} f{n}() {more.replace('<', f'f{n - 1}()')}" for n in range(1, 40)),
    ]
    return "\n".join(lines)


ABSURD = {
    "line_of_a_megabyte": ("HRL106", "  add const a = " + "1 + " * 250_000 + "1"),
    "line_almost_too_long": ("HRL206", '  add clause @long "' + "x" * 90_000 + '"  add const a = nothing'),
    "parentheses": ("HRL105", "  add const a = " + "(" * 10_000 + "1" + ")" * 10_000),
    "open_parentheses": ("HRL103", "  add const a = " + "(" * 10_000),
    "nots": ("HRL105", "  add const a = " + "not " * 10_000 + "true"),
    "minuses": ("HRL105", "  add const a = " + "-" * 10_000 + "1"),
    "sum": ("HRL105", "  add const a = " + "1 + " * 10_000 + "1"),
    "indices": ("HRL105", "  add const a = " + "spot[" * 5_000 + "1" + "]" * 5_000),
    "conditions": ("HRL105", "  add const a = " + "exists(true for s : Seat where " * 2_000 + "true" + ")" * 2_000),
    "cases": ("HRL105", "  add action skip() { " + "case true { " * 2_000 + "}" * 2_000 + " }"),
    "elses": ("HRL105", "  add action skip() { " + "case true { } else " * 2_000 + "{ } }"),
    "matches": ("HRL105", "  add const a = " + "match pace { calm : " * 2_000 + "1" + "}" * 2_000),
    "number": ("HRL307", "  add const a = " + "9" * 50_000),
    "name": ("HRL206", "  add const a = " + "a" * 50_000),
    "citation": ("HRL500", "  add const a = 1  @" + "a." * 25_000 + "a"),
    "definitions": ("HRL105", doubling("def", "= left", "= < + <")),
    "conjunctions": ("HRL105", doubling("def", "= left > 1", "= < and not <")),
    "effects": ("HRL105", doubling("effect", "{ }", "{ < < }")),
    "chain": ("HRL105", "\n".join(f"  add def f{n}() = f{n + 1}()" for n in range(500)) + "  add def f500() = 1"),
    "constants": ("HRL105", "\n".join(f"  add const c{n} = c{n + 1}" for n in range(500)) + "  add const c500 = 1"),
    "squares": (
        "HRL307",
        "  add const c0 = 9" + "".join(f"  add const c{n} = c{n - 1} * c{n - 1}" for n in range(1, 90)),
    ),
    "updates": ("HRL400", "  add action skip() { " + "left' = 1 " * 5_000 + "}"),
    "errors": ("HRL206", "\n".join(f"  add const c{n} = nothing{n}" for n in range(2_000))),
    "players": ("HRL305", "  set players : 1..100000000000000000"),
    "index": ("HRL305", "  add var m[" + ", ".join(["Tile"] * 100) + "] : Bool"),
    "not_text": ("HRL101", "\0\1\2\3"),
}


@pytest.mark.parametrize("name", ABSURD)
def test_absurd(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, body = ABSURD[name]
    close = "" if name == "open_parentheses" else "\n}"
    (tmp_path / "toy.hrl").write_bytes((BAD / "toy.hrl").read_bytes())
    (tmp_path / f"{name}.hrl").write_text(f"variant {name} extends toy {{\n{body}{close}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    result = check(f"{name}.hrl")
    assert result.exit_code == 2
    assert f"error[{code}]" in result.stderr
    assert LOCATED.search(result.stderr)
    assert max(map(len, result.stderr.splitlines())) < 250
    assert result.stderr.count("\n") < 300


def test_many_files_one_upon_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(200):
        Path(f"v{number}.hrl").write_text(f"variant v{number} extends v{number + 1} {{ }}")
    result = check("v0.hrl")
    assert (result.exit_code, "HRL105" in result.stderr) == (2, True)
