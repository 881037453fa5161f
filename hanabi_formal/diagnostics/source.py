"""Source files and places in them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True)
class SourceFile:
    """A text with a name. `name` is what messages show: a path, or `<text>`."""

    name: str
    text: str = field(repr=False)

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        starts = [0]
        at = self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return tuple(starts)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of an offset."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        start = self.line_starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")


@dataclass(frozen=True)
class Span:
    """Characters `start` up to `end` of a file."""

    file: SourceFile
    start: int
    end: int

    @property
    def place(self) -> str:
        line, column = self.file.position(self.start)
        return f"{self.file.name}:{line}:{column}"

    def to(self, other: Span) -> Span:
        return Span(self.file, min(self.start, other.start), max(self.end, other.end))
