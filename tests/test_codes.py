"""The list of diagnostics: complete, nothing unused, and its examples are true."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from hanabi_formal.cli.main import cli
from hanabi_formal.diagnostics.codes import CODES, _texts

PACKAGE = Path(__file__).parent.parent / "hanabi_formal"
NOT_YET_USED = {"HRL601"}
WITHOUT_WRONG_EXAMPLE = {
    "HRL106",
    "HRL107",
    "HRL200",
    "HRL503",
    "HRL504",
    "HRL600",
    "HRL601",
    "HRL602",
    "HRL603",
    "HRL700",
}
SHORTENED = {"HRL105", "HRL404"}
TOY = """
game toy {
  clause @turn "players take turns"
  ruling pace : {calm, fast} = calm "how fast?"  @turn
  sort Seat = 2                                  @turn
  enum Colour = red | green | blue               @turn
  range Level = 1..3                             @turn
  cards Tile(hue : Colour, level : Level) copies 1   @turn
  union Spot = bag | held(Seat) | table          @turn
  var spot[Tile] : Spot                          @turn
  var mover : Seat                               @turn
  var left : 0..9                                @turn
  record seen[Tile] : {unseen, shown}            @turn
  start { spot[t] = bag  @turn  mover = Seat(0)  @turn  left = 9  @turn  seen[t] = unseen  @turn }
  action wait() { left' = left - 1 }             @turn
  end done over when left == 0                   @turn
  score = left                                   @turn
"""


def blocks(code: str, heading: str) -> list[str]:
    found = re.findall(rf"^{heading}:\n\n((?:    .*\n?|\n)+)", CODES[code].text, re.MULTILINE)
    return [re.sub(r"^    ", "", block, flags=re.MULTILINE).strip() for block in found]


def test_what_is_used_is_listed_and_what_is_listed_is_used() -> None:
    sources = [path for path in PACKAGE.rglob("*.py") if path.name != "codes.py"]
    used = {code for path in sources for code in re.findall(r'"(HRL\d{3})"', path.read_text(encoding="utf-8"))}
    assert used - set(CODES) == set()
    assert set(CODES) - used - NOT_YET_USED == set()


def test_each_has_a_sentence_and_a_text() -> None:
    assert set(_texts()) == set(CODES)
    assert list(CODES) == sorted(CODES)
    for code in CODES.values():
        assert re.fullmatch(r"[A-Z][^\n]*\.", code.title)
        assert code.severity in ("error", "warning")
        assert all(len(line) <= 105 for line in code.text.splitlines()), code.name
        assert blocks(code.name, "Wrong") or code.name in WITHOUT_WRONG_EXAMPLE


def run(example: str, folder: Path) -> str:
    """What `check --static` says about an example: part of the toy, a file of its own, or several files."""
    (folder / "toy.hrl").write_text(TOY + "}\n")
    command = ["check", "example.hrl", "--static"]
    first, _, rest = example.partition("\n")
    if first.startswith("$ hanabi-formal "):
        command, example = shlex.split(first)[2:], rest
        parts = re.split(r"^# (\w+\.hrl)\n", rest, flags=re.MULTILINE)
        for name, text in zip(parts[1::2], parts[2::2], strict=True):
            (folder / name).write_text(text)
    elif re.match(r"game|variant|edition|#", example):
        word = re.match(r"variant (\w+)", example)
        command[1] = f"{word[1]}.hrl" if word else "example.hrl"
        (folder / command[1]).write_text(example)
    else:
        (folder / "example.hrl").write_text(f"{TOY}{example}\n}}\n")
    result = CliRunner().invoke(cli, command, catch_exceptions=False)
    return result.output


@pytest.mark.parametrize("code", [code for code in CODES if code not in SHORTENED | WITHOUT_WRONG_EXAMPLE])
def test_examples(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for wrong in blocks(code, "Wrong"):
        assert f"[{code}]" in run(wrong, tmp_path)
    for right in blocks(code, "Right"):
        said = run(right, tmp_path)
        assert "well-formed" in said
        assert f"[{code}]" not in said
