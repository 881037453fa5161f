"""The parser's tables. To build them takes a third of a second, so they are kept in the user's cache."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import pickle
import tempfile
from collections.abc import Iterator
from pathlib import Path

import lark
from lark import Lark, Token

from hanabi_formal.resources import cache_folder, grammar_text


class _WholeWords:
    """Makes a name acceptable to the lexer everywhere; where it is not, `variable` would be read as `var iable`."""

    always_accept = ("NAME",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        return stream


def load_parser() -> Lark:
    """The parser of the rule language."""
    text = grammar_text()
    key = hashlib.sha256(f"{lark.__version__}\n{text}".encode()).hexdigest()[:16]
    folder = cache_folder()
    path = folder / f"grammar-{key}.pickle" if folder else None
    if path is not None:
        with contextlib.suppress(OSError, pickle.UnpicklingError, EOFError, KeyError, AttributeError, AssertionError):
            return _from_bytes(path.read_bytes())
    data = io.BytesIO()
    Lark(text, parser="lalr", lexer="contextual", propagate_positions=True, maybe_placeholders=False).save(data)
    if path is not None:
        _keep(path, data.getvalue())
    return _from_bytes(data.getvalue())


def _from_bytes(data: bytes) -> Lark:
    tables = pickle.loads(data)
    parser = Lark._load_from_dict(tables["data"], tables["memo"], postlex=_WholeWords())  # type: ignore[no-untyped-call]
    assert isinstance(parser, Lark)
    return parser


def _keep(path: Path, data: bytes) -> None:
    """Write at once or not at all; a full or read-only disk only costs the next start its time."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(data)
            os.replace(name, path)
        except OSError:
            os.unlink(name)
            raise
