"""The one place through which everything is printed, so that no foreign text steers a terminal.

Rule files, deals, games, evidence, implementations and the command line itself may hold control characters: what is
shown of them is cleaned here, not where it is read. In JSON they are escaped, so that nothing is lost.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from typing import Any

import click

from hanabi_formal.foreign.text import clean, clean_json, clean_line, clean_painted

BLANK = "\r\x1b[K"  # to the left, and what stood there is gone
MOST_NAMED = 3


def say(text: str, err: bool = False, nl: bool = True, painted: bool = False) -> None:
    """Print lines. `painted` text has colours of ours, and none of others: its parts were cleaned before."""
    click.echo(clean_painted(text) if painted else clean(text), nl=nl, err=err, color=True if painted else None)


def as_json(value: Any, indent: int | None = None) -> str:
    """JSON that is safe to print, and means what was to be said."""
    return clean_json(json.dumps(value, ensure_ascii=False, indent=indent))


def overwrite(text: str) -> None:
    """A line on standard error in the place of the one before; none if it is empty, or nobody reads it."""
    if is_watched():
        click.echo(f"{BLANK}{clean_line(text)}", nl=False, err=True)


def is_watched() -> bool:
    """Is standard error a terminal?"""
    return sys.stderr is not None and sys.stderr.isatty()


class Progress:
    """A line that says what is being worked on: work in `total` parts, if known, that yields things called `unit`."""

    def __init__(self, total: int | None, unit: str) -> None:
        self._total = total
        self._unit = unit
        self._done = 0
        self._count = 0
        self._now: list[str] = []
        self._began = time.monotonic()
        self._visible = is_watched()

    def began(self, name: str) -> None:
        self._now.append(name)
        self.show()

    def counted(self) -> None:
        self._count += 1
        self.show()

    def done(self, name: str) -> None:
        self._now.remove(name)
        self._done += 1
        self.show()

    @property
    def text(self) -> str:
        seconds = int(time.monotonic() - self._began)
        many = f"{self._count} {self._unit}{'s' * (self._count != 1)}"
        named = ", ".join(self._now[:MOST_NAMED]) + ", …" * (len(self._now) > MOST_NAMED)
        parts = f"{self._done} of {self._total} done, " if self._total is not None else ""
        return f"{parts}{many}, {seconds} s" + (f"; now {named}" if named else "")

    def show(self) -> None:
        if self._visible:
            overwrite(self.text[: shutil.get_terminal_size().columns - 1])

    def clear(self) -> None:
        overwrite("")
