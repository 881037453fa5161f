"""Checks a proof that clauses cannot all be met. Knows nothing of games, solvers or where either came from.

The proof is LRAT text, one step a line: `NUMBER LITERALS 0 HINTS 0`. The clauses are numbered from 1 in their order.
A step adds the clause with the given literals under a new number. It is right if this holds: make all its literals
false; then each clause that the hints name has one literal left that is not false, which becomes true, until the last
one has none. The last step adds the empty clause. Steps of other kinds (RAT, deletions) are refused, and so is what
is not needed: hints behind that last one.
"""

from __future__ import annotations

import zlib
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator, Sequence

MOST_BYTES = 1 << 28
LEAST_BYTES = 1 << 16
MOST_PACKED = 100
"""Proofs are numbers, most of them new: they are packed to a third. What is packed much tighter is none."""
MOST_IN_A_LINE = 1 << 20
FREE_CLAUSES = 300_000
CLAUSES_FOR_A_CHARACTER = 20


class Refused(Exception):
    """The proof proves nothing; the message says where it goes wrong."""


def unpack(steps: str) -> str:
    """The text of a proof as certificates carry it: compressed, in base 64."""
    try:
        data = b64decode(steps.encode("ascii"), validate=True)
        reader = zlib.decompressobj()
        text = reader.decompress(data, min(MOST_BYTES, LEAST_BYTES + MOST_PACKED * len(data)))
        if not reader.eof or reader.unused_data:
            raise Refused("the proof is cut off, or something follows it")
        return text.decode("ascii")
    except (Error, zlib.error, UnicodeError) as error:
        raise Refused(f"the proof cannot be unpacked: {error}") from None


def most_clauses(text: str) -> int:
    """How many clauses a proof can be about, so that nobody makes more of them for its sake.

    Its first step has a number that none of them has. And a short proof is about a small question, or not worth more
    work than it was to write: proofs of whole games have more characters than there are clauses.
    """
    most = FREE_CLAUSES + CLAUSES_FOR_A_CHARACTER * len(text)
    for line in _lines(text):
        number, *_ = _parsed(line, 1)
        return min(most, number - 1)
    return most


def check(clauses: Sequence[Sequence[int]], text: str) -> int:
    """The number of steps of a proof that the clauses cannot all be met. Raises `Refused` if it is none."""
    known: dict[int, Sequence[int]] = dict(enumerate(clauses, 1))
    if any(len(clause) == 0 for clause in clauses):
        return 0
    last = len(clauses)
    for line_number, line in enumerate(_lines(text), 1):
        number, clause, hints = _parsed(line, line_number)
        if number <= last:
            raise Refused(f"line {line_number}: the number {number} does not follow {last}")
        _follows(clause, hints, known, line_number)
        if not clause:
            return line_number
        known[number] = clause
        last = number
    raise Refused("the proof ends before the empty clause")


def _lines(text: str) -> Iterator[str]:
    """One at a time: a small certificate may unpack to more lines than memory holds."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = end if end >= 0 else len(text)
        if end - start > MOST_IN_A_LINE:
            raise Refused("a step of the proof is longer than any that is needed")
        yield text[start:end]
        start = end + 1


def _parsed(line: str, line_number: int) -> tuple[int, list[int], list[int]]:
    try:
        numbers = [int(word) for word in line.split()]
    except ValueError:
        raise Refused(f"line {line_number}: no step of a proof") from None
    if len(numbers) < 3 or numbers[-1] != 0 or numbers.count(0) != 2:
        raise Refused(f"line {line_number}: a step is a number, literals, 0, hints, 0")
    middle = numbers.index(0)
    if middle == 0:
        raise Refused(f"line {line_number}: the step has no number")
    return numbers[0], numbers[1:middle], numbers[middle + 1 : -1]


def _follows(clause: list[int], hints: list[int], known: dict[int, Sequence[int]], line_number: int) -> None:
    """Does the clause follow from the clauses that the hints name?"""
    false = set(clause)
    for place, hint in enumerate(hints, 1):
        named = known.get(hint)
        if named is None:
            raise Refused(f"line {line_number}: there is no clause {hint} yet")
        left = [literal for literal in named if literal not in false]
        if not left and place < len(hints):
            raise Refused(f"line {line_number}: hints follow the contradiction")
        if not left:
            return
        if len(left) > 1 or -left[0] in false:
            raise Refused(f"line {line_number}: clause {hint} leaves {len(left)} literals and forces none")
        false.add(-left[0])
    raise Refused(f"line {line_number}: the hints lead to no contradiction")
