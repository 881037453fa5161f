"""What contributors are told is so: commands, hooks, markers and words."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import hanabi_formal

ROOT = Path(__file__).parent.parent
CI = (ROOT / ".ci" / "run").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text("utf-8")
PYTEST = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]


def of_ci(program: str) -> list[list[str]]:
    """What CI calls a program with, but for where it keeps what it remembers."""
    lines = re.findall(rf"^run {program}\b(.*)$", CI, re.MULTILINE)
    return [shlex.split(re.sub(r' --no-cache| --cache-dir "[^"]*"| -p no:cacheprovider', "", line)) for line in lines]


def test_hooks_are_what_ci_runs() -> None:
    text = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    hooks = [shlex.split(entry) for entry in re.findall(r"^ +entry: (.*)$", text, re.MULTILINE)]
    assert hooks == [["ruff", *args] for args in of_ci("ruff")] + [["mypy", *args] for args in of_ci("mypy")]
    assert text.count("- id:") == text.count("language: system") == len(hooks)


def test_ci_runs_the_tests_as_the_readme_does_and_then_what_that_leaves_out() -> None:
    first, deeper, *slow = [args[1:] for args in of_ci("python -m") if args[0] == "pytest"]
    assert f"python -m pytest {shlex.join(first)}\n" in README
    assert f"python -m pytest {shlex.join(first)}\n" in CONTRIBUTING
    left_out = "not deep and not slow and not packages"
    assert shlex.split(PYTEST["addopts"])[-2:] == ["-m", left_out]
    assert deeper == [*first, "-m", left_out.replace("not deep", "deep")]
    assert all("slow" in args for args in slow)


def suite(folder: Path, text: str) -> None:
    (folder / "conftest.py").write_bytes((ROOT / "tests" / "conftest.py").read_bytes())
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n" + "".join(f"  {mark}\n" for mark in PYTEST["markers"]))
    (folder / "test_it.py").write_text(text)


def told(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *args]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


# ---- markers -------------------------------------------------------------------------------------------
SUITE = """
import pytest

@pytest.mark.sampled({many})
@pytest.mark.parametrize("x", [*range(7), pytest.param(7, marks=pytest.mark.slow)])
def test_it(x: int) -> None:
    pass
"""


@pytest.mark.parametrize(
    ("chosen", "run"), [("not deep and not slow", [0, 2, 4]), ("deep", [1, 3, 5, 6]), ("slow", [7])]
)
def test_some_of_the_parameters_are_run_every_time(chosen: str, run: list[int], tmp_path: Path) -> None:
    suite(tmp_path, SUITE.format(many=3))
    assert [int(x) for x in re.findall(r"test_it\[(\d)\] PASSED", told(tmp_path, "-v", "-m", chosen).stdout)] == run


# ---- golden files --------------------------------------------------------------------------------------
KEPT = """
from pathlib import Path

import pytest

def test_kept(golden) -> None:
    golden(Path("kept.txt"), "as it is now")

@pytest.mark.deep
def test_in_part(accepting: bool) -> None:
    assert accepting == (Path("kept.txt").read_text() == "as it is now")

def test_other() -> None:
    assert False
"""


def test_one_flag_accepts_what_is_so_and_runs_nothing_else(tmp_path: Path) -> None:
    suite(tmp_path, KEPT)
    (tmp_path / "kept.txt").write_text("as it was")
    assert "2 failed, 1 passed" in told(tmp_path).stdout
    assert "2 passed, 1 deselected" in told(tmp_path, "--accept", "-m", "not deep and not slow").stdout
    assert (tmp_path / "kept.txt").read_text() == "as it is now"
    assert "several tests write to one file" in told(tmp_path, "--accept", "-n", "2").stderr


# ---- words ---------------------------------------------------------------------------------------------
def tables() -> list[list[list[str]]]:
    """The rows of each table, without its heading."""
    found = re.findall(r"^\|---.*\n((?:\| .*\n)+)", GLOSSARY, re.MULTILINE)
    return [[line.strip("| ").split(" | ") for line in table.splitlines()] for table in found]


def test_words_are_in_order_and_say_where_they_live() -> None:
    """Every word has its counterpart, a sentence and a place; every module that is named exists."""
    package = Path(hanabi_formal.__file__).parent
    ours, theirs = tables()
    assert min(len(ours), len(theirs)) > 30
    for table in (ours, theirs):
        assert [row[0] for row in table] == sorted((row[0] for row in table), key=str.casefold)
    for row in (*ours, *theirs):
        word, counterpart, sentence, where = row
        assert word
        assert counterpart
        assert sentence.endswith(".")
        places = re.findall(r"`([^`]+)`", where)
        assert places, word
        assert [place for place in places if not (package / place).exists() and not (ROOT / place).exists()] == [], word
