"""Golden files: `pytest --accept` writes what the program says now instead of comparing with it."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run, however slow the machine is.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")

# A run in the background of a script ignores interrupts, and so would every program that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

Golden = Callable[[Path, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="rewrite golden files with the present output")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compares a text with a golden file, or writes the file."""
    accept = bool(request.config.getoption("--accept"))

    def compare(path: Path, text: str) -> None:
        if accept:
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"{path} is missing: run `pytest --accept` and read what it writes"
        assert text == path.read_text(encoding="utf-8")

    return compare
