"""The terms of a System with values given to all unknowns, thousands of times a second, to compare with `run`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from hanabi_formal.kernel.types import Type, type_values
from hanabi_formal.run.interpret import Snapshot
from term_reading.general import GeneralTerms
from term_reading.source import Source

OUTSIDE = -1  # What maps and attributes say of a place that does not exist; nothing may depend on it.

CountsKnown = Mapping[int, Mapping[tuple[int, ...], int]]


@dataclass(frozen=True)
class Evaluated:
    """What the terms say of a step; `counts` are those that were needed: by number, by parameters."""

    after: Snapshot
    score: int
    at_once: bool
    defined: bool
    counts: CountsKnown = field(repr=False)


class Here:
    """All actions at one state of one deal."""

    def __init__(self, variables: tuple[str, ...], found: tuple[Any, ...]) -> None:
        self._variables = variables
        self.end: int = found[0]
        self.score: int = found[1]
        self._actions: tuple[Callable[..., Any], ...] = found[2]
        self.counts: CountsKnown = found[3]

    def is_legal(self, action: int, args: Sequence[int]) -> bool:
        return bool(self._actions[action](True, *args))

    def step(self, action: int, args: Sequence[int]) -> Evaluated:
        defined, at_once, end, score, values, counts = self._actions[action](False, *args)
        after = Snapshot(dict(zip(self._variables, values, strict=True)), end)
        return Evaluated(after, score, bool(at_once), bool(defined), counts)


class Evaluator:
    """Made once for a System; `at` gives values to the unknown state and deal."""

    def __init__(self, terms: GeneralTerms) -> None:
        self.terms = terms
        self.source = Source(terms).text
        scope: dict[str, Any] = {"quotient": quotient, "remainder": remainder}
        exec(compile(self.source, "<terms>", "exec"), scope)
        self._at: Callable[[tuple[Any, ...]], tuple[Any, ...]] = scope["at"]
        system = terms.system
        self._variables = tuple(var.name for var in system.variables)
        self._indices = {var.name: indices(var.index) for var in system.variables if var.index}

    def at(self, snapshot: Snapshot, faces: Sequence[int], outside: int = OUTSIDE) -> Here:
        inputs: list[Any] = []
        for name in self._variables:
            value = snapshot.values[name]
            inputs.append(value if isinstance(value, int) else dict(zip(self._indices[name], value, strict=True)).get)
        deck = self.terms.system.deck
        if deck is not None:
            shown = [deck.faces[face] for face in faces]
            inputs += [dict(enumerate(column)).get for column in zip(*shown, strict=True)]
        return Here(self._variables, self._at((*inputs, outside)))


def indices(kinds: tuple[Type, ...]) -> list[Any]:
    """The places of a map in order: numbers, or tuples of them where it has several indices."""
    if len(kinds) == 1:
        return list(type_values(kinds[0]))
    return list(product(*map(type_values, kinds)))


def remainder(number: int, divisor: int) -> int:
    """As the solver has it: never negative. What is divided by nothing is the solver's to choose; 0 here."""
    return number % abs(divisor) if divisor else 0


def quotient(number: int, divisor: int) -> int:
    return (number - remainder(number, divisor)) // divisor if divisor else 0
