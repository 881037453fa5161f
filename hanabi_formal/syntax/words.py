"""What the parser's terminals are called in messages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lark import Token

_GROUPS = {
    "NAME": "a name",
    "INT": "a number",
    "STRING": 'a text in `"…"`',
    "CITE": "a citation",
    "$END": "the end of the file",
    "SCORE_IS": "`score`",
}
_SIGNS = {
    "EQ": "==",
    "NE": "!=",
    "LE": "<=",
    "GE": ">=",
    "LT": "<",
    "GT": ">",
    "PLUS": "+",
    "MINUS": "-",
    "STAR": "*",
    "SLASH": "/",
    "PERCENT": "%",
    "DOTDOT": "..",
    "DOT": ".",
    "COMMA": ",",
    "COLON": ":",
    "SEMI": ";",
    "BAR": "|",
    "ASSIGN": "=",
    "PRIME": "'",
    "LBRACE": "{",
    "RBRACE": "}",
    "LPAR": "(",
    "RPAR": ")",
    "LSQB": "[",
    "RSQB": "]",
}


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


WORDS = _set(
    """game variant edition extends offers with add value to before override strengthen remove set excludes because
    source clause param sort enum union range cards copies const ruling def effect var record start actor action
    when label then after end late won lost over score bands view sees property invariant step reachable
    unreachable terminates decreasing deadlock_free example reveals defect expect refuted interface case else for
    where reveal if match exists forall count sum min max and or not implies true false"""
)
ITEMS = _set(
    """source clause param sort enum union range cards const ruling def effect var record start actor action after
    end score bands view invariant step reachable unreachable terminates deadlock_free example reveals defect
    interface"""
)
CHANGES = _set("add override strengthen remove set excludes")


def _kinds(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word.upper() for word in words)


@dataclass(frozen=True)
class _Bundle:
    """Terminals gathered under one phrase as soon as all of `sign` are expected; `members` then go with them."""

    phrase: str
    sign: frozenset[str]
    members: frozenset[str]


_OPERAND = _set("NAME INT TRUE FALSE LPAR MINUS EXISTS FORALL COUNT SUM MIN MAX")
_EXPRESSION = _OPERAND | {"MATCH", "SCORE", "NOT", "IF"}
_OPERATOR = _set("EQ NE LE GE LT GT PLUS MINUS STAR SLASH PERCENT AND OR IMPLIES")
_BUNDLES = (
    _Bundle("a type", _OPERAND | {"LBRACE"}, _EXPRESSION | {"LBRACE"}),
    _Bundle("an expression", _OPERAND, _EXPRESSION),
    _Bundle("an operator", frozenset(["PLUS", "MINUS"]), _OPERATOR | {"PRIME", "LSQB", "LPAR"}),
    _Bundle("an operator", frozenset(["AND", "OR"]), _OPERATOR | {"PRIME", "LSQB", "LPAR"}),
    _Bundle("an item", frozenset(["ENUM", "VAR"]), _kinds(ITEMS) | {"SCORE_IS", "VALUE", "CASE", "WHEN"}),
    _Bundle("a change", frozenset(["ADD", "REMOVE"]), _kinds(CHANGES) | {"SOURCE", "CLAUSE", "WITH"}),
    _Bundle("a statement", frozenset(["CASE", "REVEAL", "NAME"]), frozenset(["CASE", "FOR", "REVEAL", "NAME"])),
    _Bundle("a kind of part", frozenset(["ACTION", "CASE", "PROPERTY"]), _kinds(ITEMS) | {"CASE", "WHEN", "PROPERTY"}),
)


def describe_terminal(name: str) -> str:
    if name in _GROUPS:
        return _GROUPS[name]
    return f"`{_SIGNS.get(name, name.lower())}`"


def describe_expected(names: Iterable[str]) -> str:
    """A short phrase for a set of terminals, related ones gathered under one word."""
    left = set(names)
    parts: list[str] = []
    for bundle in _BUNDLES:
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
        case "NAME" if text not in WORDS:
            return f"name `{shown}`"
        case "INT":
            return f"number `{shown}`"
        case "STRING":
            return f"text {shown}"
        case "CITE":
            return f"citation `{shown}`"
        case _:
            return f"`{shown}`"
