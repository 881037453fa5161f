"""Systems one edit apart: a renamed value, another variable, another constructor, a changed bound, anything else.

An edit is made anywhere in the tree of dataclasses that a System is, in any field that compares. Only two things make
no difference: what a bound name is called, and the type that is noted again where it is used; those are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from random import Random
from typing import Any

from hanabi_formal.kernel.expr import Local
from hanabi_formal.kernel.system import System

BINDERS = ("binders", "params", "seat")
OPTIONAL_TEXTS = ("actor", "refuted_because")
TRICKY = (
    "v0",
    "v1",
    "v2",
    "0",
    "1",
    "true",
    "null",
    "unbound 0",
    '"',
    "\\",
    "{",
    "Lit",
    "Card(1)",
    " ",
    "",
    "é",
    "\u202e",
)
Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Spot:
    """A name, number or node, and the way to it."""

    path: Path
    value: Any


def spots(value: Any, path: Path = ()) -> Iterator[Spot]:
    """Everything in a system that can be edited."""
    if isinstance(value, Local):
        if any(step in BINDERS for step in path[-2:]):
            yield from spots(value.type, (*path, "type"))
        else:
            yield Spot(path, value)
        return
    if isinstance(value, tuple):
        for number, part in enumerate(value):
            yield from spots(part, (*path, number))
        return
    if is_dataclass(value):
        if path:
            yield Spot(path, value)
        for each in fields(value):
            if each.compare:
                yield from spots(getattr(value, each.name), (*path, each.name))
        return
    if value is not None or path[-1] in OPTIONAL_TEXTS:
        yield Spot(path, value)


def edited(value: Any, path: Path, new: Any) -> Any:
    """The same with something else at one place."""
    if not path:
        return new
    at, *rest = path
    if isinstance(at, int):
        return (*value[:at], edited(value[at], tuple(rest), new), *value[at + 1 :])
    return replace(value, **{at: edited(getattr(value, at), tuple(rest), new)})


def random_edit(system: System, every: list[Spot], random: Random) -> System:
    """Something else of the same kind in one place: of the system itself, or made to be mistaken for something."""
    while True:
        spot = random.choice(every)
        new = _another(spot, every, random)
        if _without_names(new) != _without_names(spot.value):
            return _checked(system, edited(system, spot.path, new))


def _without_names(value: Any) -> str:
    """Two that differ in bound names only may be the same: they are no edit."""
    return repr(value) if isinstance(value, Local) else re.sub(r"Local\(name='[^']*'", "Local(name=''", repr(value))


def _checked(system: System, other: Any) -> System:
    assert isinstance(other, System)
    assert other != system
    return other


def _another(spot: Spot, every: list[Spot], random: Random) -> Any:
    match spot.value:
        case bool(value):
            return not value
        case int(value):
            return value + random.choice((-1, 1, 2, 1 << 40))
        case str():
            words = [other.value for other in every if isinstance(other.value, str)]
            return random.choice([*words, *TRICKY])
        case None:
            return random.choice(TRICKY)
        case Local(name, kind):
            return Local(f"{name}{random.choice(TRICKY)}x", kind)
        case node:
            alike = [other.value for other in every if type(other.value) is type(node)]
            return random.choice(alike)
