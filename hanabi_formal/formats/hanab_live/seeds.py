"""Seeds of hanab.live, such as `p3v0s17`: players, variant, and any word; the deck follows from the whole of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hanabi_formal.diagnostics.diagnostic import Label, counted, refuse
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.formats.hanab_live.go_random import GoRandom

SEATS = range(2, 7)
NO_VARIANT = "No Variant"
NO_VARIANT_LETTERS = "rygbw"
NO_VARIANT_COPIES = {1: 3, 2: 2, 3: 2, 4: 2, 5: 1}
MOST_CHARACTERS = 200
_ALIKE = re.compile(r"p[0-9]*v[0-9]", re.IGNORECASE | re.ASCII)
_SEED = re.compile(r"p(0|[1-9][0-9]{0,5})v(0|[1-9][0-9]{0,5})s([^\s,]+)", re.ASCII)
_POLYNOMIAL = 0xC96C5795D7870F42
_ONES = (1 << 64) - 1


@dataclass(frozen=True)
class Seed:
    """A seed whose deck is known."""

    text: str
    players: int


def looks_like_seed(text: str) -> bool:
    """Is it meant to be a seed of hanab.live, well written or not?"""
    return _ALIKE.match(text) is not None


def parse_seed(span: Span) -> Seed:
    text = span.file.text[span.start : span.end]
    found = _SEED.fullmatch(text)
    if found is None or not text.isprintable() or len(text) > MOST_CHARACTERS:
        raise refuse(
            "HRL600",
            f"`{text[:40]}` is no seed of hanab.live",
            span,
            help="a seed is one word, written like `p3v0s17`: three players, variant 0, anything after `s`",
        )
    players, variant = int(found[1]), int(found[2])
    if players not in SEATS:
        place = Span(span.file, span.start + found.start(1), span.start + found.end(1))
        raise refuse(
            "HRL600",
            f"the seed is for {counted(players, 'player')}",
            Label(place),
            help=f"hanab.live has {SEATS[0]} to {SEATS[-1]} seats",
        )
    if variant != 0:
        place = Span(span.file, span.start + found.start(2), span.start + found.end(2))
        raise refuse(
            "HRL600",
            f"the cards of hanab.live's variant {variant} are not known here",
            Label(place),
            help=f"only `v0`, {NO_VARIANT}, is known; give the deck itself, as text or JSON",
        )
    return Seed(text, players)


def seed_cards(seed: Seed, folder: Path | None = None) -> list[str]:
    """The deck as words, the first card first. `folder` is where slow tables may be kept."""
    cards = [
        f"{letter}{rank}"
        for letter in NO_VARIANT_LETTERS
        for rank, many in NO_VARIANT_COPIES.items()
        for _ in range(many)
    ]
    number = crc64(seed.text.encode())
    generator = GoRandom(number - (1 << 64) if number >> 63 else number, folder)
    for i in range(len(cards)):
        j = generator.below(i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def crc64(data: bytes) -> int:
    """CRC-64/XZ."""
    table, value = _table(), _ONES
    for byte in data:
        value = table[(value ^ byte) & 0xFF] ^ value >> 8
    return value ^ _ONES


@cache
def _table() -> tuple[int, ...]:
    found = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (_POLYNOMIAL if value & 1 else 0)
        found.append(value)
    return tuple(found)
