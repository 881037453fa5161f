"""Evidence as data: what a file must hold for `certify` to judge it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from hanabi_formal.judge.arguments.argument import Argument, LastRound, LostFace, Room, Turns
from hanabi_formal.judge.refutations.lrat import Refused

MOST_DEPTH = 60
MOST_NUMBER = 1_000_000


@dataclass(frozen=True)
class Reasoned:
    """An argument in the game's own terms."""

    argument: Argument


@dataclass(frozen=True)
class TooFew:
    """What is played is not replaced, and there are not enough cards in hands. In files its kind is `few`."""


@dataclass(frozen=True)
class Unsolvable:
    """A proof that clauses cannot be met: those of `judge/refutations/seats.py` or the rules unrolled so far.

    `digest` is of the clauses, `steps` are LRAT: numbered clauses, each with the earlier ones it follows from.
    """

    kind: Literal["seats", "spending", "tokens", "unrolled"]
    horizon: int
    digest: str
    steps: str


@dataclass(frozen=True)
class Outnumbered:
    """An argument against each display (how high each suit is) that would have the points, if they are not all."""

    arguments: tuple[tuple[tuple[int, ...], Argument], ...]


Certificate = Reasoned | Outnumbered | TooFew | Unsolvable


def from_data(data: object) -> Certificate:
    """`Refused` says what is wrong with it."""
    match data:
        case {"kind": "argument", "argument": argument}:
            return Reasoned(_argument(argument, 0))
        case {"kind": "displays", "displays": list(listed)}:
            return Outnumbered(tuple(map(_against, listed)))
        case {"kind": "few", **rest} if not rest:
            return TooFew()
        case {
            "kind": "seats" | "spending" | "tokens" | "unrolled" as kind,
            "horizon": int(horizon),
            "clauses": str(digest),
            "lrat": str(lrat),
        }:
            return Unsolvable(kind, horizon, digest, lrat)
    kinds = "`argument`, `displays`, `few`, `seats`, `spending`, `tokens` or `unrolled`"
    raise Refused(f"it is no certificate: one has a `kind` ({kinds}) and what that needs")


def _against(data: object) -> tuple[tuple[int, ...], Argument]:
    match data:
        case [list(display), argument] if all(type(height) is int for height in display):
            return tuple(display), _argument(argument, 0)
    raise Refused("an argument against a display goes with the height of each suit")


def _argument(data: object, depth: int) -> Argument:
    if depth > MOST_DEPTH:
        raise Refused(f"its branches are more than {MOST_DEPTH} deep")
    if not isinstance(data, Mapping) or any(isinstance(value, bool) for value in data.values()):
        raise Refused("an argument is an object of numbers and branches")
    if any(isinstance(value, int) and abs(value) > MOST_NUMBER for value in data.values()):
        raise Refused("no card and no face has so large a number")
    match dict(data):
        case {"lost": int(face), **rest} if not rest:
            return LostFace(face)
        case {"turns": int(since), **rest} if not rest:
            return Turns(since)
        case {"last round": int(since), **rest} if not rest:
            return LastRound(since)
        case {"room": int(card), "since": int(since), **rest} if not rest.keys() - {"unless later"}:
            branches: list[tuple[int, Argument]] = []
            listed = rest.get("unless later", [])
            for branch in listed if isinstance(listed, list) else [None]:
                match branch:
                    case [int(face), below]:
                        branches.append((face, _argument(below, depth + 1)))
                    case _:
                        raise Refused("a branch is a face and an argument")
            return Room(card, since, tuple(branches))
    raise Refused(f"no argument has {', '.join(ascii(key)[:40] for key in [*data][:5]) or 'nothing'}")
