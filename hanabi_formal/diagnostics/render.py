"""Diagnostics for people, for programs and for editors."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import click

from hanabi_formal.diagnostics.diagnostic import Diagnostic, Label
from hanabi_formal.diagnostics.source import Span

SCHEMA = 1
MOST_SHOWN = 20
_WIDTH = 110
_BEFORE = 40
_TAB = 4
_ENDLESS = re.compile(r"\S{200,}")
_COLOURS = {"error": "red", "warning": "yellow"}


# ---- for people ------------------------------------------------------------------------------------
def render_text(diagnostics: Sequence[Diagnostic], colour: bool = False) -> str:
    """Each with its places and its way out, an empty line between two; a flood is cut off."""
    shown = [_one(diagnostic, colour) for diagnostic in diagnostics[:MOST_SHOWN]]
    if len(diagnostics) > MOST_SHOWN:
        shown.append(f"… and {len(diagnostics) - MOST_SHOWN:,} more; `--json` lists them all\n")
    return "\n".join(shown)


def _one(diagnostic: Diagnostic, colour: bool) -> str:
    def paint(text: str, hue: str | None = None, bold: bool = True) -> str:
        return click.style(text, fg=hue, bold=bold) if colour else text

    hue = _COLOURS[diagnostic.severity]
    lines = [paint(f"{diagnostic.severity}[{diagnostic.code}]", hue) + paint(f": {clean(diagnostic.message)}")]
    gutter = max((len(str(_line(label.span))) for label in diagnostic.labels), default=1)
    bar = paint(f"{'':{gutter}} │", "blue")
    for group in _groups(diagnostic.labels):
        place = group[0].span
        number = _line(place)
        text = place.file.line(number)
        lines.append(paint(f"{'':{gutter}} ┌─ ", "blue") + _visible(place.place))
        marks = []
        for label in group:
            shown, pad, width = excerpt(text, *_columns(label.span, len(text)))
            primary = label is diagnostic.labels[0]
            mark = f"{('^' if primary else '-') * width} {clean(label.text)}".rstrip()
            marks.append(f"{bar} {' ' * pad}{paint(mark, hue if primary else 'blue')}")
        lines.append(paint(f"{number:>{gutter}} │", "blue") + f" {shown}".rstrip())
        lines += marks
    if diagnostic.help:
        lines.append(f"{'':{gutter}} " + paint("= help:") + f" {clean(diagnostic.help)}")
    return "\n".join(lines) + "\n"


def _groups(labels: Sequence[Label]) -> Iterator[list[Label]]:
    """Labels that can stand under one line of text; a line too long to show whole has one each."""
    groups: dict[object, list[Label]] = {}
    for number, label in enumerate(labels):
        line = _line(label.span)
        whole = len(label.span.file.line(line)) <= _WIDTH
        groups.setdefault((label.span.file.name, line) if whole else number, []).append(label)
    yield from groups.values()


def _line(span: Span) -> int:
    return span.file.position(span.start)[0]


def _columns(span: Span, length: int) -> tuple[int, int]:
    """Where a span starts and ends in its first line, from 0."""
    start = span.file.position(span.start)[1] - 1
    return start, min(start + span.end - span.start, length)


def excerpt(line: str, start: int, end: int) -> tuple[str, int, int]:
    """The line, or what fits around the span; how far in its mark stands and how wide it is, in columns."""
    left = max(0, min(start - _BEFORE, len(line) - _WIDTH)) if len(line) > _WIDTH else 0
    right = min(len(line), left + _WIDTH)
    end = min(max(end, start), right)
    before = ("…" if left else "") + _expand(line[left:start], 0)
    pad = _width(before)
    marked = _expand(line[start:end], pad)
    after = _expand(line[end:right], pad + _width(marked)) + ("…" if right < len(line) else "")
    return before + marked + after, pad, max(1, _width(marked))


def _expand(text: str, column: int) -> str:
    """Tabs as spaces, and a dot for what has no shape of its own or would steer the terminal."""
    found = []
    for char in text:
        shown = " " * (_TAB - column % _TAB) if char == "\t" else char if char.isprintable() else "·"
        found.append(shown)
        column += _width(shown)
    return "".join(found)


def _width(text: str) -> int:
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def clean(text: str) -> str:
    """Text from a file or the command line, safe to print on one line; endless words are cut."""
    return _visible(_ENDLESS.sub(lambda word: f"{word[0][:100]}…", text))


def _visible(text: str) -> str:
    return text if text.isprintable() else "".join(char if char.isprintable() else "·" for char in text)


# ---- for programs and editors ------------------------------------------------------------------------
def as_data(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """What `--json` gives under `diagnostics`. Lines and columns count from 1, in characters."""
    return [
        {
            "code": diagnostic.code,
            "severity": diagnostic.severity,
            "message": diagnostic.message,
            "labels": [_label_data(label) for label in diagnostic.labels],
            "help": diagnostic.help,
        }
        for diagnostic in diagnostics
    ]


def _label_data(label: Label) -> dict[str, Any]:
    line, column = label.span.file.position(label.span.start)
    end_line, end_column = label.span.file.position(label.span.end)
    return {
        "file": label.span.file.name,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "text": label.text,
    }


def render_editor(diagnostics: Iterable[Diagnostic]) -> str:
    """`file:line:column: error[HRL206]: message`, one line each."""
    lines = []
    for diagnostic in diagnostics:
        place = f"{diagnostic.labels[0].span.place}: " if diagnostic.labels else ""
        lines.append(clean(f"{place}{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}") + "\n")
    return "".join(lines)
