"""The one place through which everything is printed, so that no foreign text steers a terminal.

Rule files, deals, games, evidence, implementations and the command line itself may hold control characters: what is
shown of them is cleaned here, not where it is read. In JSON they are escaped, so that nothing is lost.
"""

from __future__ import annotations

import json
from typing import Any

import click

from hanabi_formal.foreign.text import clean, clean_json, clean_line, clean_painted

BLANK = "\r\x1b[K"  # to the left, and what stood there is gone


def say(text: str, err: bool = False, nl: bool = True, painted: bool = False) -> None:
    """Print lines. `painted` text has colours of ours, and none of others: its parts were cleaned before."""
    click.echo(clean_painted(text) if painted else clean(text), nl=nl, err=err, color=True if painted else None)


def as_json(value: Any, indent: int | None = None) -> str:
    """JSON that is safe to print, and means what was to be said."""
    return clean_json(json.dumps(value, ensure_ascii=False, indent=indent))


def overwrite(text: str) -> None:
    """A line on standard error in the place of the one before; none if it is empty."""
    click.echo(f"{BLANK}{clean_line(text)}", nl=False, err=True)
