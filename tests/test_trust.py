"""`docs/trust.md` names all that an answer rests on, and counts it rightly."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

import hanabi_formal
from import_graph import module_paths, reached

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "trust.md"
PATHS = module_paths(Path(hanabi_formal.__file__).parent)
TOLERANCE = 0.1
ROW = re.compile(r"^\| (.+) \|$", re.MULTILINE)
NAME = re.compile(r"`([^`]+)`")

ROOTS = {
    "winnable": {"judge.lines"},
    "unwinnable: `argument`, `displays`, `few`": {
        "judge.arguments.argument",
        "judge.arguments.displays",
        "judge.arguments.needs",
    },
    "unwinnable: `seats`, `tokens`, `spending`": {
        "judge.refutations.seats",
        "judge.refutations.refutation",
        "judge.arguments.needs",
    },
    "unwinnable: `unrolled`": {"sat.formula", "judge.refutations.refutation"},
    "proved": {"verify.composition"},
    "reached, refuted": {"engines.second_opinion", "prove.search.replayed"},
    "no difference": {"conformance.trial"},
}
"""Where each answer is made: with all that these import, every part is found that it rests on."""
JUDGE = {"judge.evidence", "judge.unwinnable"}
"""What asks those about evidence. It imports them all, and of its imports only those of the answer matter."""


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below a heading."""
    section = PAGE.read_text("utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return [
        [cell.strip() for cell in row.split(" | ")] for row in ROW.findall(section)[1:] if not row.startswith("---")
    ]


def lines_of(modules: set[str]) -> int:
    return sum(len(PATHS[name].read_text("utf-8").splitlines()) for name in modules)


def matching(pattern: str) -> set[str]:
    """`kernel/*`, `check/{units,merge}` or `api`: names of modules; `*` is everything in a folder."""
    folder, _, names = pattern.rpartition("/")
    listed = names.strip("{}").split(",") if names != "*" else None
    found = {
        name
        for name in PATHS
        if name.rpartition(".")[0] == folder.replace("/", ".") and (listed is None or name.rpartition(".")[2] in listed)
    }
    assert found, pattern
    assert listed is None or len(found) == len(listed), f"{pattern}: there are only {sorted(found)}"
    return found


@cache
def parts() -> dict[str, set[str]]:
    """The modules of each part; what `*` stands for is all that no part has so far."""
    found: dict[str, set[str]] = {}
    for name, modules, *_ in rows("Parts"):
        known = set().union(*found.values()) if found else set[str]()
        found[name.strip("`")] = set().union(*(matching(pattern) for pattern in NAME.findall(modules))) - known
    return found


def resting_on(parts_named: str) -> set[str]:
    return set().union(*(parts()[name] for name in NAME.findall(parts_named)))


def needed(answer: str) -> set[str]:
    ours, _ = reached(ROOTS[answer], PATHS)
    return ours | JUDGE if "winnable" in answer else ours


def is_near(said: str, really: int) -> bool:
    return abs(int(said.replace(",", "")) - really) <= TOLERANCE * really


@pytest.mark.parametrize("row", rows("Parts"), ids=lambda row: row[0])
def test_a_part_has_as_many_lines_as_the_page_says(row: list[str]) -> None:
    name, _, many, checked = row
    assert is_near(many, lines_of(parts()[name.strip("`")])), f"{lines_of(parts()[name.strip('`')]):,}"
    tests = NAME.findall(checked)
    assert tests
    assert all((ROOT / "tests" / test).exists() for test in tests), tests


def test_every_answer_is_in_the_page() -> None:
    assert [row[0] for row in rows("Answers")] == list(ROOTS)


@pytest.mark.parametrize("row", rows("Answers"), ids=lambda row: row[0])
def test_an_answer_rests_on_nothing_that_the_page_does_not_name(row: list[str]) -> None:
    answer, named, many = row
    packages = {name for name, path in PATHS.items() if path.name == "__init__.py" and name != "reference"}
    assert needed(answer) - resting_on(named) - packages == set()
    assert is_near(many, lines_of(resting_on(named))), f"{lines_of(resting_on(named)):,}"


@pytest.mark.parametrize("row", rows("Answers"), ids=lambda row: row[0])
def test_no_part_is_named_that_an_answer_does_not_rest_on(row: list[str]) -> None:
    answer, named, _ = row
    assert [name for name in NAME.findall(named) if not parts()[name] & needed(answer)] == []
