"""Ranking functions: weights whose sum bounds the length of games, found by guessing and being refuted.

The lightest weights that fit all steps seen so far are proposed; a step that they do not fit is the next one to fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hanabi_formal.prove.induction.solver_call import ProofListener
from hanabi_formal.prove.length.linear_program import Coefficients, lightest
from hanabi_formal.prove.length.measures import MOST_SWITCHES, Candidate, MeasuredState, Measures, MeasureTerm
from hanabi_formal.prove.length.ranking_check import Descent, Sample

ROUNDS = 80


class RankingSynthesis:
    """The search for weights of some measures; `first` is the reading of the first state."""

    def __init__(self, measures: Measures, descent: Descent, first: MeasuredState, samples: Iterable[Sample]) -> None:
        self.measures = measures
        self.descent = descent
        self.first = first
        self.rounds = ROUNDS
        self._samples = list(dict.fromkeys(samples))
        self._known_rows: dict[tuple[int, ...], tuple[int, dict[Coefficients, None]]] = {}

    def improving(self, listener: ProofListener | None = None) -> Iterator[Candidate]:
        """Proved bounds, each lower than the one before, with one switch more as long as that helps."""
        switches: tuple[int, ...] = ()
        found = self._proved(switches, None, listener)
        while True:
            if found is not None:
                yield found
            if len(switches) == MOST_SWITCHES:
                break
            better = self._with_one_more(switches, found.at(self.first) if found else None, listener)
            if better is None:
                break
            switches, found = better

    def _with_one_more(
        self, switches: tuple[int, ...], bound: int | None, listener: ProofListener | None
    ) -> tuple[tuple[int, ...], Candidate] | None:
        """One switch more, those first that promise most by the steps seen so far."""
        promising = []
        for switch in range(len(self.measures.switches)):
            if switch not in switches and self._changes(switch):
                candidate = self._lightest((*switches, switch))
                if candidate is not None and (bound is None or candidate.at(self.first) < bound):
                    promising.append((candidate.at(self.first), switch))
        for promised, switch in sorted(promising):
            if bound is None or promised < bound:
                found = self._proved((*switches, switch), bound, listener)
                if found is not None:
                    return (*switches, switch), found
        return None

    def _changes(self, switch: int) -> bool:
        """Is it on in some of the states seen, and off in others?"""
        return len({sample.before.switches[switch] for sample in self._samples}) > 1

    def _proved(self, switches: tuple[int, ...], below: int | None, listener: ProofListener | None) -> Candidate | None:
        while self.rounds > 0:
            self.rounds -= 1
            candidate = self._lightest(switches)
            if candidate is None or (below is not None and candidate.at(self.first) >= below):
                return None
            against = self.descent.samples_against(candidate)
            if not against:
                return candidate if self.descent.is_proved(candidate, listener) else None
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
