"""The parser and its tables, which are kept beside the grammar: to build them takes longer than to read a rule file.

`python -m hanabi_formal.syntax.parse_tables` writes them again after a change of the grammar. Tables of another
grammar, or for a Lark that they were not tried with, are not used; the parser is built then. Nothing of a user's is
read here: whoever could change the tables could change what a rule says.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import lark
from lark import Lark, Token
from lark.grammar import Rule
from lark.lexer import TerminalDef

from hanabi_formal.resources import grammar_text, parser_tables

FORM = 1
LARKS = ("1.2", "1.3")
"""Versions of Lark that give these tables, and can read them."""
OPTIONS = {
    "parser": "lalr",
    "lexer": "contextual",
    "start": "unit",
    "propagate_positions": True,
    "maybe_placeholders": True,
}
_SHIFT, _REDUCE = 0, 1


class _WholeWords:
    """Makes a name acceptable to the lexer everywhere; where it is not, `variable` would be read as `var iable`."""

    always_accept = ("NAME",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        return stream


@cache
def load_parser() -> Lark:
    """The parser of the rule language."""
    text = grammar_text()
    kept = _kept(parser_tables(), text)
    return _parser(*_for_lark(kept)) if kept is not None else _parser(*_built(text))


def _kept(path: Path, text: str) -> dict[str, Any] | None:
    """The tables in a file, if they are of this grammar and for this Lark."""
    if not any(lark.__version__.startswith(f"{known}.") for known in LARKS):
        return None
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and found.get("of") == _version(text) else None


def _version(text: str) -> str:
    return f"{FORM} {hashlib.sha256(text.encode()).hexdigest()}"


def _built(text: str) -> tuple[Any, Any]:
    data, memo = Lark(text, **OPTIONS).memo_serialize([TerminalDef, Rule])
    return {**data, "options": OPTIONS}, memo  # Lark has more options from version to version


def _parser(data: Any, memo: Any) -> Lark:
    parser = Lark._load_from_dict(data, memo, postlex=_WholeWords())  # type: ignore[no-untyped-call]
    assert isinstance(parser, Lark)
    return parser


# ---- as they are kept ----------------------------------------------------------------------------------
def tables(text: str) -> dict[str, Any]:
    """What a grammar gives. States are numbered in the order in which they are reached, whatever Lark calls them."""
    data, memo = _built(text)
    parser = data["parser"]["parser"]
    (start,), names = data["parser"]["parser_conf"]["start"], parser["tokens"]
    first = parser["start_states"][start]
    order, rows = {first: 0}, []
    for state in (reached := [first]):
        row: dict[str, int] = {}
        for name, (kind, target) in sorted((names[n], action) for n, action in parser["states"][state].items()):
            if kind == _SHIFT and target not in order:
                order[target] = len(order)
                reached.append(target)
            row[name] = order[target] if kind == _SHIFT else -target["@"]
        rows.append(row)
    symbols = sorted(names.values())
    number = {name: n for n, name in enumerate(symbols)}
    return {
        "of": _version(text),
        "memo": [memo[n] for n in range(len(memo))],
        "rest": {**data, "parser": {**data["parser"], "parser": None}},
        "start": start,
        "end": order[parser["end_states"][start]],
        "symbols": symbols,
        "states": [[part for name, action in row.items() for part in (number[name], action)] for row in rows],
    }


def _for_lark(kept: dict[str, Any]) -> tuple[Any, Any]:
    """A row lists symbols, each with the state that is next, or as a negative number the rule that has been read."""
    states = {
        n: {
            symbol: (_SHIFT, action) if action >= 0 else (_REDUCE, {"@": -action})
            for symbol, action in zip(row[::2], row[1::2], strict=True)
        }
        for n, row in enumerate(kept["states"])
    }
    table = {
        "tokens": dict(enumerate(kept["symbols"])),
        "states": states,
        "start_states": {kept["start"]: 0},
        "end_states": {kept["start"]: kept["end"]},
    }
    data = {**kept["rest"], "parser": {**kept["rest"]["parser"], "parser": table}}
    return data, dict(enumerate(kept["memo"]))


def as_text(found: dict[str, Any]) -> str:
    """One line a state, rule or terminal, so that a change can be seen."""

    def lines(items: list[Any]) -> str:
        return "[\n" + ",\n".join(json.dumps(item, separators=(",", ":")) for item in items) + "\n]"

    fields = (
        f"{json.dumps(key)}: {lines(value) if key in ('memo', 'states') else json.dumps(value)}"
        for key, value in found.items()
    )
    return "{\n" + ",\n".join(fields) + "\n}\n"


if __name__ == "__main__":
    parser_tables().write_text(as_text(tables(grammar_text())), encoding="utf-8")
