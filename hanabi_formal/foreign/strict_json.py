"""JSON without surprises: what is nested deeply, said twice, or no value of JSON, is refused before it is used."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

MOST_DEPTH = 200  # evidence has arguments within arguments
MOST_DIGITS = 18
# A text, closed or not, or a bracket. Nothing here is tried twice, so that no input is slow.
_MARKS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{}]', re.DOTALL)
_HALF = re.compile("[\ud800-\udfff]")
_HALF_WRITTEN = re.compile(r"\\u[dD][89a-fA-F]")


def read_json(text: str) -> Any:
    """The value that a text holds. `ValueError` if it holds none; `json.JSONDecodeError` if that has a place."""
    _check_depth(text)
    found = json.loads(
        text, parse_int=_integer, parse_float=_number, parse_constant=_no_number, object_pairs_hook=_object
    )
    if _HALF_WRITTEN.search(text):
        _check_texts(found)
    return found


def _check_depth(text: str) -> None:
    depth = 0
    for mark in _MARKS.finditer(text):
        match mark[0]:
            case "[" | "{":
                depth += 1
                if depth > MOST_DEPTH:
                    raise ValueError("it is nested too deeply")
            case "]" | "}":
                depth -= 1


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS + 1:
        raise ValueError("a number is too long")
    return int(digits)


def _number(digits: str) -> float:
    found = float(digits)
    if not math.isfinite(found):
        raise ValueError("a number is too large")
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"`{name}` is no number of JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is given twice in one object")
    return found


def _check_texts(value: Any) -> None:
    """No text has half a character, which no file could hold."""
    left = [value]
    while left:
        match left.pop():
            case str(text) if _HALF.search(text):
                raise ValueError("a text has half a character in it")
            case dict(fields):
                left += fields
                left += fields.values()
            case list(items):
                left += items
