"""Clauses, and the gates they are made of. A literal is a number, its negation the negative one; 1 is true.

Two algebras with the same gates: `Cnf` makes clauses, `TernaryGates` only says what is true, false or open (0).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

TRUE = 1
FALSE = -1
OPEN = 0

Value = int | dict[int | None, int]
"""A number, or for each that it may be a literal, exactly one of them true. Under None: that there is no such value."""


class Gates(ABC):
    """Conjunctions of literals, and what is made of them."""

    @abstractmethod
    def both(self, literals: Iterable[int]) -> int:
        """The literal of a conjunction."""

    @abstractmethod
    def count(self, literals: Sequence[int]) -> Value:
        """How many are true."""

    def either(self, literals: Iterable[int]) -> int:
        return -self.both([-literal for literal in literals])

    def joined(self, found: Mapping[int | None, Iterable[int]], is_truth: bool) -> Value:
        """A value, given for each that it may be the literals of which one is then true."""
        if is_truth:
            return self.either(found.get(1, ()))
        return packed({key: self.either(parts) for key, parts in found.items()})


def packed(value: dict[int | None, int]) -> Value:
    """The same value without what it cannot be."""
    left = {key: literal for key, literal in value.items() if literal != FALSE}
    for key, literal in left.items():
        if key is not None and (literal == TRUE or len(left) == 1):
            return key
    return left


class TernaryGates(Gates):
    """Three-valued gates, which make no clauses."""

    def both(self, literals: Iterable[int]) -> int:
        result = TRUE
        for literal in literals:
            if literal == FALSE:
                return FALSE
            if literal != TRUE:
                result = OPEN
        return result

    def count(self, literals: Sequence[int]) -> Value:
        sure, possible = literals.count(TRUE), len(literals) - literals.count(FALSE)
        return sure if sure == possible else dict.fromkeys(range(sure, possible + 1), OPEN)


# ---- the legend: what variables mean in a game, the assignment by which it meets the clauses ---------
# Nothing of it is needed to solve the clauses; it is for whoever checks that every game meets them.
@dataclass(frozen=True)
class Chosen:
    """At this step one of the actions of that option is done."""

    step: int
    option: int


@dataclass(frozen=True)
class PlaceValue:
    """After a part of a step, a place has this value. A count is a place with a negative key.

    A game that is over has a state no more, and the clauses still ask for one value of each place. So one of the values
    is there also if none of the `others` is.
    """

    step: int
    part: int
    key: int
    value: int
    others: tuple[int, ...] = ()


@dataclass(frozen=True)
class Among:
    """One of these literals is true."""

    literals: tuple[int, ...]


LegendEntry = Chosen | PlaceValue | Among
"""Every variable is one of these, or a gate (a conjunction of literals)."""


class Cnf(Gates):
    """Clauses under construction. Equal gates are made once; `gates` remembers what a literal was made of.

    `legend` says what every variable that is no gate means.
    """

    def __init__(self) -> None:
        self.variables = 1
        self.clauses: list[list[int]] = [[TRUE]]
        self.gates: dict[int, tuple[int, ...]] = {}
        self.legend: dict[int, LegendEntry] = {}
        self._known: dict[tuple[int, ...], int] = {}

    def _fresh(self) -> int:
        self.variables += 1
        return self.variables

    def new(self, meaning: LegendEntry) -> int:
        """A variable that is true where that is so."""
        found = self._fresh()
        self.legend[found] = meaning
        return found

    def add(self, literals: Iterable[int]) -> None:
        """A clause, unless it is true anyway."""
        clause: list[int] = []
        for literal in literals:
            if literal == TRUE or -literal in clause:
                return
            if literal != FALSE and literal not in clause:
                clause.append(literal)
        self.clauses.append(clause)

    def both(self, literals: Iterable[int]) -> int:
        found: set[int] = set()
        for literal in literals:
            if literal == FALSE or -literal in found:
                return FALSE
            if literal != TRUE:
                found.add(literal)
        if not found:
            return TRUE
        parts = tuple(sorted(found))
        if len(parts) == 1:
            return parts[0]
        known = self._known.get(parts)
        if known is None:
            known = self._known[parts] = self._fresh()
            self.gates[known] = parts
            self.clauses += [[-known, part] for part in parts]
            self.clauses.append([known, *(-part for part in parts)])
        return known

    def count(self, literals: Sequence[int]) -> Value:
        """How many are true, one literal after the other."""
        sums: dict[int, int] = {0: TRUE}
        for literal in literals:
            if literal == FALSE:
                continue
            sums = {
                total: self.either(
                    (self.both((sums.get(total, FALSE), -literal)), self.both((sums.get(total - 1, FALSE), literal)))
                )
                for total in range(min(sums), max(sums) + 2)
            }
            sums = {total: found for total, found in sums.items() if found != FALSE}
        return packed({total: found for total, found in sums.items()})  # noqa: C416

    def at_most_one(self, literals: Sequence[int]) -> None:
        """Pairs where they are few, a chain where they are many."""
        if len(literals) <= 6:
            self.clauses += [[-a, -b] for place, a in enumerate(literals) for b in literals[:place]]
            return
        seen = self.new(Among((literals[0],)))
        self.clauses.append([-literals[0], seen])
        for literal in literals[1:-1]:
            after = self.new(Among((seen, literal)))
            self.clauses += [[-seen, -literal], [-literal, after], [-seen, after]]
            seen = after
        self.clauses.append([-seen, -literals[-1]])


def digest(variables: int, clauses: Iterable[Sequence[int]]) -> str:
    """A hash of a formula, the same in every process."""
    found = sha256(f"cnf {variables}\n".encode())
    for block in _blocks(clauses):
        found.update(block)
    return found.hexdigest()


def _blocks(clauses: Iterable[Sequence[int]]) -> Iterator[bytes]:
    block = array("i")
    for clause in clauses:
        block.extend(clause)
        block.append(0)
        if len(block) > 1 << 16:
            yield _little(block)
            block = array("i")
    yield _little(block)


def _little(block: array[int]) -> bytes:
    import sys

    if sys.byteorder != "little":
        block.byteswap()
    return block.tobytes()
