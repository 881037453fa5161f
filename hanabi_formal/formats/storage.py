"""Files that are written at once or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hanabi_formal.diagnostics.diagnostic import refuse


def write_atomically(path: Path, text: str) -> None:
    """Write a text file; a killed run or a full disk leaves what was there before."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                out.write(text)
            Path(name).chmod(0o644)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise refuse("HRL200", f"cannot write `{path}`: {(error.strerror or 'it failed').lower()}") from None
