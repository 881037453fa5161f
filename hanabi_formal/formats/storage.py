"""Files that are written at once or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from hanabi_formal.diagnostics.diagnostic import refuse


def write_atomically(path: Path, text: str) -> None:
    """Write a text file; a killed run or a full disk leaves what was there before."""
    try:
        _replace(path, text.encode())
    except OSError as error:
        raise refuse("HRL200", f"cannot write `{path}`: {(error.strerror or 'it failed').lower()}") from None


def keep(path: Path, data: bytes) -> None:
    """Write a file that can be made again: a full or read-only disk only costs the next run its time."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _replace(path, data)


def _replace(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        Path(name).chmod(0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
