"""Golden files and `pytest --accept`; which tests are left to `-m deep`; proofs that many tests need, made once."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from hanabi_formal.api import Game

# The same examples in every run, however slow the machine is.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")

# A run in the background of a script ignores interrupts, and so would every program that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

Golden = Callable[[Path, str], None]
PROVED: dict[tuple[object, ...], str] = {}
"""What `proved_once` knows: what is missing of a need, by all that the answer depends on."""


def pytest_addoption(parser: pytest.Parser) -> None:
    help_text = "rewrite golden files with the present output; runs the tests that have one, and no others"
    parser.addoption("--accept", action="store_true", help=help_text)


def pytest_configure(config: pytest.Config) -> None:
    """What is accepted is accepted by deep tests, too, and one after the other."""
    if config.getoption("--accept"):
        config.option.markexpr = config.option.markexpr.replace("not deep and ", "")
        if config.getoption("numprocesses", default=None):
            raise pytest.UsageError("--accept without -n: several tests write to one file")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a test that is `sampled(n)`, n of its parameters, evenly spread, stay as they are; the others are `deep`.

    With `--accept`, only tests that have a golden file are run.
    """
    if config.getoption("--accept"):
        accepting = [item for item in items if {"golden", "accepting"} & set(getattr(item, "fixturenames", ()))]
        config.hook.pytest_deselected(items=[item for item in items if item not in accepting])
        items[:] = accepting
    sampled: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sampled") is not None and item.get_closest_marker("slow") is None:
            sampled.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for several in sampled.values():
        marker = several[0].get_closest_marker("sampled")
        assert marker is not None
        (many,) = marker.args
        kept = {at * len(several) // many for at in range(many)}
        for place, item in enumerate(several):
            if place not in kept:
                item.add_marker(pytest.mark.deep)


@pytest.fixture
def accepting(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written; for tests that write a part of one."""
    return bool(request.config.getoption("--accept"))


@pytest.fixture
def golden(accepting: bool) -> Golden:
    """Compares a text with a golden file, or writes the file."""

    def compare(path: Path, text: str) -> None:
        if accepting:
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"{path} is missing: run `pytest --accept` and read what it writes"
        assert text == path.read_text(encoding="utf-8")

    return compare


@pytest.fixture
def proved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a no about a deal needs of the rules is proved once for each text and settings, not for every question.

    For tests of what follows from such proofs. Tests of the proofs themselves call `prove_need`, which is as it was.
    """
    from hanabi_formal.judge.arguments import kept_needs, needs

    prove, kept = needs.prove_need, kept_needs.kept_needs()

    def once(game: Game, players: int | None, need: str, dealt: int) -> str:
        if vars(needs)["kept_needs"]() is not kept:  # a test has put other advice in its place
            return prove(game, players, need, dealt)
        composition = game.merged.composition
        texts = tuple(unit.tree.span.file.text for unit in composition.order)
        key = (composition.spec, texts, repr(game.settings), players, need, dealt)
        if key not in PROVED:
            PROVED[key] = prove(game, players, need, dealt)
        return PROVED[key]

    monkeypatch.setattr(needs, "prove_need", once)
