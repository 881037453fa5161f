"""Small pieces of Python source, made from pieces."""

from __future__ import annotations

from math import prod

from hanabi_formal.kernel.types import UnionType, type_first, type_size

SHORT = 24


def extremum(op: str, left: str, right: str) -> str:
    """Min or max; a comparison is faster than a call where both sides are short enough to be worked out twice."""
    if len(left) + len(right) > SHORT:
        return f"{op}({left}, {right})"
    sign = "<" if op == "min" else ">"
    return f"({left} if {left} {sign} {right} else {right})"


def search(tests: list[str], first: int, last: int | None = None) -> str:
    """The number of the first test that holds; the last one is taken for granted."""
    text = str(first + len(tests) - 1 if last is None else last)
    for number in reversed(range(len(tests) - 1)):
        text = f"{first + number} if {tests[number]} else {text}"
    return f"({text})"


def injected(kind: UnionType, constructor: int, fields: list[str]) -> str:
    """A union's value from its fields."""
    text = ""
    for value, field in zip(fields, kind.constructors[constructor].fields, strict=True):
        start = type_first(field)
        term = f"({value} - {start})" if start else value
        text = f"({text} * {type_size(field)} + {term})" if text else term
    return f"({kind.offsets[constructor]} + {text})"


def field_of(kind: UnionType, constructor: int, place: int, value: str) -> str:
    """A field of a union's value that was made by that constructor."""
    fields = kind.constructors[constructor].fields
    below = prod(type_size(field) for field in fields[place + 1 :])
    text = f"{value} - {kind.offsets[constructor]}"
    if below > 1:
        text = f"({text}) // {below}"
    if place > 0:
        text = f"({text}) % {type_size(fields[place])}"
    start = type_first(fields[place])
    return f"({text} + {start})" if start else f"({text})"
