"""What a user gives as a file, on standard input or as the text itself."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from hanabi_formal.diagnostics.diagnostic import Label, refuse
from hanabi_formal.diagnostics.source import SourceFile, Span
from hanabi_formal.foreign.files import NotPlain, open_plain

MOST_BYTES = 1_000_000
STANDARD_INPUT = "<standard input>"


@dataclass(frozen=True)
class LineOfFile(SourceFile):
    """One line of a long file, under its number there."""

    number: int

    def position(self, offset: int) -> tuple[int, int]:
        line, column = super().position(offset)
        return line + self.number - 1, column

    def line(self, number: int) -> str:
        return super().line(number - self.number + 1)


@contextmanager
def opened_bytes(name: str) -> Iterator[BinaryIO]:
    """A file to read from; `-` is standard input, which stays open."""
    try:
        if name != "-":
            with open_plain(Path(name)) as opened:
                yield opened
        elif sys.stdin is not None:
            yield sys.stdin.buffer
        else:
            raise refuse("HRL200", "cannot read standard input: it is closed")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it cannot be read"
        help = "`-` reads standard input" if isinstance(error, NotPlain) else None
        raise refuse("HRL200", f"cannot read `{name}`: {reason.lower()}", help=help) from None


def lines_of(opened: BinaryIO, most: int = MOST_BYTES) -> Iterator[bytes]:
    """The lines of a file, one at a time; one that is too long is cut off, and too long still."""
    return iter(lambda: opened.readline(most + 1), b"")


def numbered_lines(lines: Iterable[bytes], name: str, what: str) -> Iterator[tuple[int, bytes]]:
    """Those that are not blank, with their numbers; `what` is what they are."""
    for number, data in enumerate(lines, 1):
        if len(data) > MOST_BYTES:
            raise refuse(
                "HRL600", f"line {number} of `{name}` has more than {MOST_BYTES:,} bytes; no {what} is so long"
            )
        if data.strip():
            yield number, data


def shown_name(name: str) -> str:
    return STANDARD_INPUT if name == "-" else name


def read_file(name: str, most: int = MOST_BYTES) -> SourceFile:
    """A whole text file."""
    shown = shown_name(name)
    with opened_bytes(name) as opened:
        data = opened.read(most + 1) or b""  # `/proc` has files with nothing to read at the moment
    if len(data) > most:
        raise refuse("HRL600", f"`{shown}` has more than {most:,} bytes; nothing that is asked for is that long")
    return SourceFile(shown, decoded(data, shown))


def decoded(data: bytes, name: str, number: int = 1) -> str:
    """The text of a file, or of its line with that number."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        good = LineOfFile(name, error.object[: error.start].decode("utf-8"), number)
        end = len(good.text)
        place = Label(Span(good, end, end), f"the byte {error.object[error.start]:#04x} comes next")
        raise refuse("HRL107", "the file is not UTF-8 text", place, help="save the file as UTF-8") from None


def line_of_file(name: str, data: bytes, number: int) -> LineOfFile:
    """A line that was read, as text."""
    return LineOfFile(name, decoded(data, name, number).rstrip("\r\n"), number)


def given_text(text: str, name: str) -> SourceFile:
    """A text from the command line, where bytes that are no characters arrive as surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        source = SourceFile(name, text.encode("utf-8", "replace").decode())
        raise refuse("HRL107", "this is not UTF-8 text", Span(source, error.start, error.start + 1)) from None
    return SourceFile(name, text)


def is_there(name: str) -> bool:
    """Is there a file? No for what can be no name at all."""
    try:
        return Path(name).exists()
    except (OSError, ValueError):
        return False


def trimmed(source: SourceFile) -> Span:
    """A text without the blanks around it."""
    text = source.text
    start = len(text) - len(text.lstrip())
    return Span(source, start, max(start, len(text.rstrip())))
