"""Rule files on the disk: how they are read, and what messages call them."""

from __future__ import annotations

from pathlib import Path

from hanabi_formal.diagnostics.diagnostic import Label, refuse
from hanabi_formal.diagnostics.source import SourceFile, Span
from hanabi_formal.foreign.files import read_plain
from hanabi_formal.resources import spec_folder

MAX_BYTES = 2_000_000


def read_source(path: Path, shown: str) -> SourceFile:
    try:
        data = read_plain(path, MAX_BYTES)
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise refuse("HRL200", f"cannot read `{shown}`: {reason.lower()}") from None
    if len(data) > MAX_BYTES:
        raise refuse("HRL106", f"`{shown}` has more than {MAX_BYTES:,} bytes; no rule file is that long")
    try:
        return SourceFile(shown, data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        good = SourceFile(shown, error.object[: error.start].decode("utf-8"))
        end = len(good.text)
        place = Label(Span(good, end, end), f"the byte {error.object[error.start]:#04x} comes next")
        raise refuse(
            "HRL107",
            "the file is not UTF-8 text",
            place,
            help="save the file as UTF-8; only comments and texts need more than ASCII",
        ) from None


def is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def is_folder(path: Path) -> bool:
    try:
        return path.is_dir() and path != Path()
    except OSError:
        return False


def shown_path(path: Path) -> str:
    """Built-in files are shown as `spec/base.hrl` wherever they are installed."""
    try:
        return f"spec/{path.resolve().relative_to(spec_folder().resolve())}"
    except ValueError:
        return str(path)
