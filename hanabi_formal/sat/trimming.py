"""A solver's account of why clauses cannot be met, cut down to what is needed and made ready to be checked."""

from __future__ import annotations

import zlib
from base64 import b64encode
from dataclasses import dataclass
from itertools import count, islice


@dataclass(frozen=True)
class Proof:
    """Why the clauses for `horizon` steps, which have that `digest`, cannot be met.

    `steps` is LRAT text, compressed and in base 64: every step is a clause that follows from the named earlier ones by
    unit propagation alone; the last one is the empty clause.
    """

    horizon: int
    digest: str
    steps: str


class NotUnitPropagation(Exception):
    """The account has steps that do not follow by unit propagation."""


def trimmed(trace: bytes, clauses: int) -> str:
    """The steps that the empty clause needs, numbered from the last of the clauses on. `trace` is binary LRAT.

    None are needed if the empty clause is among the clauses. The solver numbers clauses as they come, given or derived;
    the derived ones are named, so all others were given.
    """
    heads, reasons_of = _records(trace)
    given = _given(heads, clauses)
    last = next((number for number, head in heads.items() if not head), None)
    if last is None:
        return ""
    needed = {last}
    waiting = [last]
    links: dict[int, list[int]] = {}
    while waiting:
        number = waiting.pop()
        links[number] = _signed(reasons_of[number])
        for reason in links[number]:
            if reason < 0:
                raise NotUnitPropagation
            if reason in heads and reason not in needed:
                needed.add(reason)
                waiting.append(reason)
    lines: list[str] = []
    renumbered = dict(given)
    for number in heads:
        if number in needed:
            renumbered[number] = clauses + len(lines) + 1
            because = [renumbered[reason] for reason in links[number]]
            words = [renumbered[number], *_signed(heads[number]), 0, *because, 0]
            lines.append(" ".join(map(str, words)))
            if number == last:
                break
    return "\n".join(lines) + "\n"


def packed(text: str) -> str:
    return b64encode(zlib.compress(text.encode("ascii"), 9)).decode("ascii")


def _records(trace: bytes) -> tuple[dict[int, bytes], dict[int, bytes]]:
    """Literals and reasons of each derived clause, in order, not yet read. No number but 0 has a zero byte."""
    heads: dict[int, bytes] = {}
    reasons: dict[int, bytes] = {}
    chunks = iter(trace.split(b"\0"))
    for chunk in chunks:
        if chunk[:1] != b"a":
            continue
        end = 1
        while chunk[end] & 128:
            end += 1
        number = _signed(chunk[1 : end + 1])[0]
        heads[number] = chunk[end + 1 :]
        reasons[number] = next(chunks)
    return heads, reasons


def _given(heads: dict[int, bytes], clauses: int) -> dict[int, int]:
    unnamed = (number for number in count(1) if number not in heads)
    return {number: place for place, number in enumerate(islice(unnamed, clauses), 1)}


def _signed(data: bytes) -> list[int]:
    """Numbers of variable length, seven bits a byte, the sign in the lowest bit."""
    found: list[int] = []
    number = shift = 0
    for byte in data:
        number |= (byte & 127) << shift
        if byte & 128:
            shift += 7
        else:
            found.append(-(number >> 1) if number & 1 else number >> 1)
            number = shift = 0
    return found
