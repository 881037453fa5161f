"""The random numbers of Go's `math/rand`, version 1, which hanab.live shuffles with.

Go starts its generator from 607 fixed words: the state of s[n] = s[n-607] + s[n-273] (mod 2^64) after 7.8·10^12 steps.
The recurrence is linear, so x^(7.8·10^12) mod (x^607 - x^334 - 1) leaps there; the words are computed, not copied.
"""

from __future__ import annotations

import contextlib
import hashlib
import struct
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path

from hanabi_formal.foreign.files import read_plain
from hanabi_formal.formats.storage import keep

LENGTH = 607
TAP = 273
FEED = LENGTH - TAP
STEPS = 7_800_000_000_000
MASK = (1 << 64) - 1
LEHMER = (1 << 31) - 1
FILE_NAME = "go-random-2.bin"
_FORMAT = struct.Struct(f"<{LENGTH}Q")
# Of the words as a file has them. Whoever forges the file forges decks, so it is believed for this alone.
DIGEST = "1928503b93a563e491119a5889baba73d1605b90b63634c14a408805797a7c7b"
# A coefficient of a product is a sum of 607 products of 64-bit numbers: 138 bits. Whole bytes pack quickly.
_CELL = 18


class GoRandom:
    """`rand.New(rand.NewSource(seed))`. `folder` is where the fixed words may be kept from one run to the next."""

    def __init__(self, seed: int, folder: Path | None = None) -> None:
        self._words = [a ^ b for a, b in zip(_seeded(seed, 40, 20), fixed_words(folder), strict=True)]
        self._tap, self._feed = 0, FEED

    def uint64(self) -> int:
        self._tap = (self._tap - 1) % LENGTH
        self._feed = (self._feed - 1) % LENGTH
        word = (self._words[self._feed] + self._words[self._tap]) & MASK
        self._words[self._feed] = word
        return word

    def int63(self) -> int:
        return self.uint64() & MASK >> 1

    def below(self, bound: int) -> int:
        """Go's `Intn`, for bounds up to 2^31 - 1."""
        assert 0 < bound < 1 << 31
        if bound & (bound - 1) == 0:
            return self.int63() >> 32 & (bound - 1)
        most = LEHMER - (1 << 31) % bound
        value = self.int63() >> 32
        while value > most:
            value = self.int63() >> 32
        return value % bound


def _seeded(seed: int, high: int, middle: int) -> Iterator[int]:
    """The words that a seed gives, three steps of a Lehmer generator each; the first twenty steps are thrown away."""
    numbers = islice(_lehmer(seed % LEHMER or 89_482_311), 20, None)
    for _ in range(LENGTH):
        yield next(numbers) << high ^ next(numbers) << middle ^ next(numbers)


def _lehmer(x: int) -> Iterator[int]:
    while True:
        x = 48_271 * x % LEHMER
        yield x


# ---- the fixed words -------------------------------------------------------------------------------
@cache
def fixed_words(folder: Path | None = None) -> tuple[int, ...]:
    """From the folder if just they are there, else computed, and kept there if it can be written to."""
    path = folder / FILE_NAME if folder else None
    if path is not None:
        with contextlib.suppress(OSError):
            data = read_plain(path, _FORMAT.size)
            if hashlib.sha256(data).hexdigest() == DIGEST:
                return _FORMAT.unpack(data)
    words = computed_words()
    if path is not None:
        keep(path, _FORMAT.pack(*words))
    return words


def computed_words() -> tuple[int, ...]:
    # Step k writes the word at (334 - k) mod 607, so that is where s[k] lies as long as it is one of the last 607.
    places = [(FEED - k) % LENGTH for k in range(1 - LENGTH, 1)]
    start = list(_seeded(1, 20, 10))
    sequence = [start[place] for place in places]
    for i in range(LENGTH, 2 * LENGTH - 1):
        sequence.append((sequence[i - LENGTH] + sequence[i - TAP]) & MASK)
    leap = _power_of_x(STEPS)
    # s[steps + j] is the sum of leap[i] · s[i + j]: the middle of one long product.
    product = _product(leap[::-1], sequence)[LENGTH - 1 : 2 * LENGTH - 1]
    words = [0] * LENGTH
    for k, word in enumerate(product, STEPS + 1 - LENGTH):
        words[(FEED - k) % LENGTH] = word & MASK
    return tuple(words)


def _power_of_x(exponent: int) -> list[int]:
    """The coefficients of x^exponent mod (x^607 - x^334 - 1), lowest first."""
    power = [1] + [0] * (LENGTH - 1)
    for bit in bin(exponent)[2:]:
        power = _reduced(_product(power, power))
        if bit == "1":
            power = _reduced([0, *power])
    return power


def _reduced(coefficients: list[int]) -> list[int]:
    for i in range(len(coefficients) - 1, LENGTH - 1, -1):
        coefficients[i - LENGTH] += coefficients[i]
        coefficients[i - TAP] += coefficients[i]
    return [coefficient & MASK for coefficient in coefficients[:LENGTH]]


def _product(left: Sequence[int], right: Sequence[int]) -> list[int]:
    """The product of two polynomials: one of two integers, with a cell for each coefficient."""
    whole = _packed(left) * _packed(right)
    many = len(left) + len(right) - 1
    data = whole.to_bytes(many * _CELL, "little")
    return [int.from_bytes(data[at : at + _CELL], "little") for at in range(0, many * _CELL, _CELL)]


def _packed(coefficients: Sequence[int]) -> int:
    return int.from_bytes(b"".join(value.to_bytes(_CELL, "little") for value in coefficients), "little")
