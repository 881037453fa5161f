"""What the parser's terminals are called in messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lark import Token

from hanabi_formal.syntax.keywords import Keywords, keywords

_GROUPS = {
    "NAME": "a name",
    "INT": "a number",
    "STRING": 'a text in `"…"`',
    "CITE": "a citation",
    "$END": "the end of the file",
}


@dataclass(frozen=True)
class _Bundle:
    """Terminals gathered under one phrase as soon as all of `sign` are expected; `members` then go with them."""

    phrase: str
    sign: frozenset[str]
    members: frozenset[str]


def _bundles(known: Keywords) -> Iterator[_Bundle]:
    expression, operand = known.first("expr"), known.first("sum")
    operator = known.operators | {"PRIME", "LSQB", "LPAR"}
    items, changes = known.called(known.items), known.called(known.changes)
    parts = known.first("part_kind")
    yield _Bundle("a type", operand | {"LBRACE"}, expression | {"LBRACE"})
    yield _Bundle("an expression", operand, expression)
    yield _Bundle("an operator", frozenset(["PLUS", "MINUS"]), operator)
    yield _Bundle("an operator", frozenset(["AND", "OR"]), operator)
    yield _Bundle("an item", frozenset(["ENUM", "VAR"]), items | {"VALUE", "CASE", "WHEN"})
    yield _Bundle("a change", frozenset(["ADD", "REMOVE"]), changes | {"SOURCE", "CLAUSE", "WITH"})
    yield _Bundle("a statement", frozenset(["CASE", "REVEAL", "NAME"]), known.first("stmt"))
    yield _Bundle("a kind of part", frozenset(["ACTION", "CASE", "PROPERTY"]), parts)


def describe_terminal(name: str) -> str:
    return _GROUPS[name] if name in _GROUPS else f"`{keywords().spelling[name]}`"


def describe_expected(names: Iterable[str]) -> str:
    """A short phrase for a set of terminals, related ones gathered under one word."""
    left = set(names)
    parts: list[str] = []
    for bundle in _bundles(keywords()):
        if bundle.sign <= left:
            left -= bundle.members
            parts.append(bundle.phrase)
    if parts or len(left) > 1:
        left.discard("SEMI")
    parts = [*sorted(describe_terminal(name) for name in left), *parts]
    if len(parts) > 6:
        parts = [*parts[:5], f"{len(parts) - 5} more"]
    if len(parts) == 1:
        return parts[0]
    return f"{', '.join(parts[:-1])} or {parts[-1]}" if parts else "nothing more"


def describe_token(token: Token) -> str:
    text = str(token)
    shown = text if len(text) <= 30 else text[:27] + "…"
    match token.type:
        case "NAME" if text not in keywords().words:
            return f"name `{shown}`"
        case "INT":
            return f"number `{shown}`"
        case "STRING":
            return f"text {shown}"
        case "CITE":
            return f"citation `{shown}`"
        case _:
            return f"`{shown}`"
