"""Ranking functions: weights whose sum bounds the length of games, found by guessing and being refuted.

The lightest weights that fit all steps seen so far are proposed; a step that they do not fit is the next one to fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import inf, lcm

import z3

from hanabi_formal.prove.length.measures import MOST_SWITCHES, Candidate, MeasuredState, Measures, MeasureTerm
from hanabi_formal.prove.length.ranking_check import Descent, Sample

ROUNDS = 80
Coefficients = tuple[int, ...]
AT_ONCE = 12
"""Rows are handed to the solver few at a time, those that are violated most first: most rows never matter."""


class RankingSynthesis:
    """The search for weights of some measures; `first` is the reading of the first state."""

    def __init__(self, measures: Measures, descent: Descent, first: MeasuredState, samples: Iterable[Sample]) -> None:
        self.measures = measures
        self.descent = descent
        self.first = first
        self.rounds = ROUNDS
        self._samples = list(dict.fromkeys(samples))
        self._known_rows: dict[tuple[int, ...], tuple[int, dict[Coefficients, None]]] = {}

    def improving(self) -> Iterator[Candidate]:
        """Proved bounds, each lower than the one before, with one switch more as long as that helps."""
        switches: tuple[int, ...] = ()
        found = self._proved(switches)
        while True:
            if found is not None:
                yield found
            if len(switches) == MOST_SWITCHES:
                break
            better = self._with_one_more(switches, found.at(self.first) if found else inf)
            if better is None:
                break
            switches, found = better

    def _with_one_more(self, switches: tuple[int, ...], bound: float) -> tuple[tuple[int, ...], Candidate] | None:
        """One switch more, those first that promise most by the steps seen so far."""
        promising = []
        for switch in range(len(self.measures.switches)):
            if switch not in switches and self._changes(switch):
                candidate = self._lightest((*switches, switch))
                if candidate is not None and candidate.at(self.first) < bound:
                    promising.append((candidate.at(self.first), switch))
        for _, switch in sorted(promising):
            found = self._proved((*switches, switch), bound)
            if found is not None:
                return (*switches, switch), found
        return None

    def _changes(self, switch: int) -> bool:
        """Is it on in some of the states seen, and off in others?"""
        return len({sample.before.switches[switch] for sample in self._samples}) > 1

    def _proved(self, switches: tuple[int, ...], below: float = inf) -> Candidate | None:
        while self.rounds > 0:
            self.rounds -= 1
            candidate = self._lightest(switches)
            if candidate is None or candidate.at(self.first) >= below:
                return None
            against = self.descent.samples_against(candidate)
            if not against:
                return candidate if self.descent.is_proved(candidate) else None
            self._samples += against
        return None

    def _lightest(self, switches: tuple[int, ...]) -> Candidate | None:
        """The best that fits all steps seen so far; a bound for what can be proved."""
        terms = self.measures.terms(switches)
        rows = self._rows(switches, terms)
        sizes = tuple(max([1, *(abs(row[n]) for row in rows)]) for n in range(len(terms)))
        weights = lightest(list(rows), self._row(terms, self.first), sizes)
        if weights is None:
            return None
        return Candidate(self.measures, tuple((t, w) for t, w in zip(terms, weights, strict=True) if w))

    def _rows(self, switches: tuple[int, ...], terms: list[MeasureTerm]) -> dict[Coefficients, None]:
        """What the samples ask of the weights, each row once."""
        done, rows = self._known_rows.get(switches, (0, {}))
        for sample in self._samples[done:]:
            before = self._row(terms, sample.before)
            rows[before] = None
            if sample.after is not None:
                after = self._row(terms, sample.after)
                rows[tuple([b - a for b, a in zip(before, after, strict=True)])] = None
        self._known_rows[switches] = (len(self._samples), rows)
        return rows

    def _row(self, terms: list[MeasureTerm], reading: MeasuredState) -> Coefficients:
        return tuple(self.measures.value(term, reading) for term in terms)


# ---- a linear programme in exact rationals -----------------------------------------------------------
def lightest(rows: Sequence[Coefficients], start: Coefficients, sizes: Coefficients) -> list[Fraction] | None:
    """Weights with `row · w >= 1` for every row and the least `start · w` from 0 on; None if there are none.

    Among equals the ones with the least sum of sizes, so that a weight is zero where it need not be anything else.
    """
    optimiser = z3.Optimize()
    optimiser.set("priority", "lex")
    weights = [z3.Real(f"weight{n}") for n in range(len(start))]
    lengths = [z3.Real(f"length{n}") for n in range(len(start))]
    for weight, length in zip(weights, lengths, strict=True):
        optimiser.add(length >= weight, length >= -weight)
    optimiser.add(_product(start, weights) >= 0)
    optimiser.minimize(_product(start, weights))
    optimiser.minimize(_product(sizes, lengths))
    missing = list(rows[:AT_ONCE])
    while True:
        optimiser.add(*(_product(row, weights) >= 1 for row in missing))
        if optimiser.check() != z3.sat:
            return None
        model = optimiser.model()
        found = [model.eval(weight, model_completion=True).as_fraction() for weight in weights]
        one = lcm(*(weight.denominator for weight in found))
        used = [(n, int(weight * one)) for n, weight in enumerate(found) if weight]
        violated = []
        for row in rows:
            value = sum([weight * row[n] for n, weight in used])
            if value < one:
                violated.append((value, row))
        if not violated:
            return found
        missing = [row for _, row in sorted(violated)[:AT_ONCE]]


def _product(numbers: Coefficients, terms: Sequence[z3.ArithRef]) -> z3.ArithRef:
    return z3.Sum([number * term for number, term in zip(numbers, terms, strict=True) if number] or [z3.RealVal(0)])
