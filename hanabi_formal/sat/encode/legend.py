"""What the variables of clauses mean in a game: the assignment by which a game meets the clauses.

Every variable is one of these, or a gate (a conjunction of literals). Nothing here is needed to solve the clauses; it
is for whoever checks that every game meets them.
"""

from __future__ import annotations

from dataclasses import dataclass


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
