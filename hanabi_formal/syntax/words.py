"""What the parser's terminals are called in messages."""

from __future__ import annotations

from collections.abc import Iterable

from lark import Token

_GROUPS = {
    "NAME": "a name",
    "INT": "a number",
    "STRING": 'a text in `"…"`',
    "CITE": "a citation",
    "$END": "the end of the file",
}
_SIGNS = {
    "EQ": "==", "NE": "!=", "LE": "<=", "GE": ">=", "LT": "<", "GT": ">", "PLUS": "+", "MINUS": "-", "STAR": "*",
    "SLASH": "/", "PERCENT": "%", "DOTDOT": "..", "DOT": ".", "COMMA": ",", "COLON": ":", "SEMI": ";", "BAR": "|",
    "ASSIGN": "=", "PRIME": "'", "LBRACE": "{", "RBRACE": "}", "LPAR": "(", "RPAR": ")", "LSQB": "[", "RSQB": "]",
}  # fmt: skip
_WORDS = (
    "game variant edition extends offers with add value to before override strengthen remove set excludes because "
    "source clause param sort enum union range cards copies const ruling def effect var record start actor action "
    "when label then after end late won lost over score bands view sees property invariant step reachable "
    "unreachable terminates decreasing deadlock_free example expect refuted interface case else for where reveal "
    "if match exists forall count sum min max and or not implies true false"
).split()
RESERVED = frozenset(word.upper() for word in _WORDS)

_EXPRESSION = frozenset("NAME INT TRUE FALSE LPAR MINUS NOT IF MATCH EXISTS FORALL COUNT SUM MIN MAX SCORE".split())
_OPERATOR = frozenset("EQ NE LE GE LT GT PLUS MINUS STAR SLASH PERCENT AND OR IMPLIES".split())
_ITEM = frozenset(
    "SOURCE CLAUSE PARAM SORT ENUM UNION RANGE CARDS CONST RULING DEF EFFECT VAR RECORD START ACTOR ACTION AFTER "
    "END BANDS VIEW INVARIANT STEP REACHABLE UNREACHABLE TERMINATES DEADLOCK_FREE EXAMPLE INTERFACE".split()
)
_CHANGE = frozenset("ADD OVERRIDE STRENGTHEN REMOVE SET EXCLUDES".split())
_BUNDLES = (
    (_EXPRESSION, "an expression"),
    (_EXPRESSION - {"IF"}, "an expression"),
    (_EXPRESSION - {"IF", "NOT"}, "an expression"),
    (_OPERATOR, "an operator"),
    (_ITEM, "an item of the game"),
    (_CHANGE, "a change"),
)


def describe_terminal(name: str) -> str:
    if name in _GROUPS:
        return _GROUPS[name]
    return f"`{_SIGNS.get(name, name.lower())}`"


def describe_expected(names: Iterable[str]) -> str:
    """A short phrase for a set of terminals, related ones gathered under one word."""
    left = set(names)
    parts: list[str] = []
    for bundle, phrase in _BUNDLES:
        if bundle <= left and phrase not in parts:
            left -= bundle
            parts.append(phrase)
    if left & _OPERATOR and "an operator" in parts:
        left -= _OPERATOR
    parts += sorted(describe_terminal(name) for name in left)
    if len(parts) > 6:
        parts = [*parts[:5], f"{len(parts) - 5} more"]
    if len(parts) == 1:
        return parts[0]
    return f"{', '.join(parts[:-1])} or {parts[-1]}" if parts else "nothing more"


def describe_token(token: Token) -> str:
    text = str(token)
    shown = text if len(text) <= 30 else text[:27] + "…"
    match token.type:
        case "NAME":
            return f"name `{shown}`"
        case "INT":
            return f"number `{shown}`"
        case "STRING":
            return f"text {shown}"
        case "CITE":
            return f"citation `{shown}`"
        case _:
            return f"`{shown}`"
