"""Where the grammar, the specifications and the proofs lie: in the checkout, or inside the installed package."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


@cache
def root() -> Path:
    """The folder that holds `grammar/`, `spec/` and `proofs/`."""
    installed = _PACKAGE / "data"
    return installed if installed.is_dir() else _PACKAGE.parent


def grammar_text() -> str:
    return (root() / "grammar" / "hrl.lark").read_text(encoding="utf-8")


def parser_tables() -> Path:
    """What the grammar means to the parser, worked out beforehand."""
    return root() / "grammar" / "hrl.tables.json"


def spec_folder() -> Path:
    return root() / "spec"


def proofs_folder() -> Path:
    return root() / "proofs"


def own_proofs_folder(built_in: bool) -> Path:
    """Where what `check` finds may be kept: in a checkout beside the proofs of what is built in, else with the user."""
    cached = cache_folder()
    in_checkout = built_in and root() == _PACKAGE.parent
    return proofs_folder() if in_checkout or cached is None else cached / "proofs"


def builtin_names() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in spec_folder().glob("*.hrl")))


def cache_folder() -> Path | None:
    """Where what is slow to compute may be kept; None where there is no home to keep it in.

    Anybody may have written what lies there: it is used only where that can change no answer.
    """
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "hanabi-formal"
    except RuntimeError:
        return None
