"""Changes at random to texts, bytes and data of JSON: small ones that almost fit, and a few that are monstrous."""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from random import Random
from typing import Any

NASTY = (
    "\0",
    "\x1b[2J",
    "\x7f",
    "\u202e",
    "\ud800",
    "\u0661",
    "é",
    "𝟙",
    "\n",
    "\r",
    "\t",
    "\x0b",
    "\x0c",
    "\x85",
    "\u2028",
    '"',
    "'",
    "\\",
    "`",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    ":",
    "@",
    "#",
    "|",
    "-",
    "+",
    "0",
    "9" * 30,
    "_",
    "..",
    "'''",
    "$",
    "%",
    " " * 50,
    "\ufeff",
    "*/",
    "//",
    "=",
    "==",
    "!",
    "<",
    ">",
)
WORDS = re.compile(r"\w+|\s+|.", re.DOTALL)
ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    63,
    64,
    2**31,
    2**63,
    -(2**64),
    10**30,
    0.0,
    1.5,
    1e308,
    -0.0,
    "",
    "0",
    "r1",
    "\0",
    "\x1b[31m",
    "\u202e",
    "true",
    [],
    {},
    [[]],
    [None],
    {"": None},
    [0] * 60,
    "a" * 300,
    "9" * 5000,
)
DEEP = 200_000


def text(random: Random, source: str, others: Sequence[str] = ()) -> str:
    """One to three changes, of single signs, of words or of longer parts."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        source = _one_change(random, source, others)
    return source


def _one_change(random: Random, source: str, others: Sequence[str]) -> str:
    start = random.randrange(len(source) + 1)
    length = random.choice((1, 1, 2, 5, 20, 100))
    match random.randrange(9):
        case 0:
            return source[:start] + source[start + length :]
        case 1:
            return source[:start] + random.choice(NASTY) + source[start:]
        case 2:
            return source[: start + length] + source[start:]
        case 3:
            return source[:start]
        case 4 if others:
            other = random.choice(others)
            at = random.randrange(len(other) + 1)
            return source[:start] + other[at : at + length * 3] + source[start + length :]
        case 5:
            pieces = WORDS.findall(source)
            if len(pieces) > 1:
                first, second = random.randrange(len(pieces)), random.randrange(len(pieces))
                pieces[first], pieces[second] = pieces[second], pieces[first]
            return "".join(pieces)
        case 6:
            digits = [at for at, sign in enumerate(source) if sign.isdigit()]
            if digits:
                at = random.choice(digits)
                return source[:at] + str(random.choice((0, 1, 2, 3, 5, 7, 9, 10, 127, -1))) + source[at + 1 :]
            return source + "7"
        case 7:
            names = sorted(set(re.findall(r"[A-Za-z_]\w*", source)))
            if len(names) > 1:
                old, new = random.sample(names, 2)
                return re.sub(rf"\b{old}\b", new, source, count=random.choice((0, 1)))
            return source[::-1]
        case _:
            pieces = WORDS.findall(source)
            if pieces:
                pieces[random.randrange(len(pieces))] = random.choice(pieces)
            return "".join(pieces)


def octets(random: Random, source: bytes) -> bytes:
    """Bytes changed, cut, doubled or replaced altogether."""
    found = bytearray(source)
    match random.randrange(6):
        case 0:
            return bytes(found[: random.randrange(len(found) + 1)])
        case 1:
            return random.randbytes(random.choice((0, 1, 7, 64, 1000)))
        case 2:
            return bytes(found) + random.randbytes(random.randrange(1, 9))
        case 3:
            at = random.randrange(len(found) + 1)
            return bytes(found[at:] + found[:at])
        case _:
            for _ in range(random.choice((1, 1, 2, 8))):
                if found:
                    found[random.randrange(len(found))] = random.randrange(256)
            return bytes(found)


def data(random: Random, value: Any) -> Any:
    """Data of JSON with one to three of its parts changed; the value given stays as it is."""
    found = [copy.deepcopy(value)]
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        holder, key = _some_place(random, found)
        _change(random, holder, key)
    return found[0]


def _some_place(random: Random, whole: list[Any]) -> tuple[Any, Any]:
    """Going down at random, as far as chance has it."""
    holder: Any = whole
    key: Any = 0
    while isinstance(holder[key], dict | list) and holder[key] and random.random() < 0.8:
        holder = holder[key]
        key = random.choice(list(holder)) if isinstance(holder, dict) else random.randrange(len(holder))
    return holder, key


def _change(random: Random, holder: Any, key: Any) -> None:
    value = holder[key]
    match random.randrange(7):
        case 0 if isinstance(holder, dict):
            del holder[key]
        case 0 | 1 if isinstance(holder, list) and len(holder) > 1:
            other = random.randrange(len(holder))
            holder[key], holder[other] = holder[other], holder[key]
        case 1 if isinstance(holder, dict):
            holder[str(key) + random.choice(("", " ", "s", "\0"))] = holder.pop(key)
        case 2 if isinstance(holder, list):
            holder.insert(key, copy.deepcopy(value))
        case 3 | 4 if type(value) is int:
            holder[key] = value + random.choice((-2, -1, 1, 1, 2, 10))
        case 3 | 4 if isinstance(value, str):
            holder[key] = text(random, value)
        case 5 if isinstance(holder, list) and len(holder) > 1:
            del holder[key]
        case _:
            holder[key] = copy.deepcopy(random.choice(ODD_VALUES))


def deep_text(random: Random) -> str:
    """JSON that is nested deeper than any reader follows."""
    depth = random.choice((65, 1000, 20_000, DEEP))
    return random.choice(("[" * depth, '{"a":' * depth, "[" * depth + "]" * depth, '{"deck":' + "[" * depth))
