"""Bands cover every score that a game can end with, each score once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from hanabi_formal.kernel.build import FALSE, conj, equal, interval, number
from hanabi_formal.kernel.canonical import form_of
from hanabi_formal.kernel.expr import Ended, Expr, Op
from hanabi_formal.kernel.rewrite import as_ended
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.prove.obligation import Obligation, ObligationKind, Result, Verdict
from hanabi_formal.prove.search.explorer import Goal
from hanabi_formal.prove.search.goals import Purpose, Target
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState

BANDS = Obligation.of(ObligationKind.BANDS)


class BandCheck:
    """Arithmetic finds the scores that lie in no band or in several; a game shows that one of them can be had."""

    def __init__(self, compiled: Compiled, lemmas: Iterable[Expr]) -> None:
        self.compiled = compiled
        self.system = compiled.system
        bands = self.system.bands
        self.bands = None if bands is None or bands.condition == FALSE else bands
        faults = self._faults(lemmas)
        self._targets = {Target(Purpose.REFUTE, BANDS, score): many for score, many in faults.items()}

    def _faults(self, lemmas: Iterable[Expr]) -> dict[int, int]:
        """Scores that do not lie in one band, with how many they lie in."""
        if self.bands is None:
            return {}
        ends = [(which, end) for which, end in enumerate(self.system.ends) if end.condition != FALSE]
        known = list(lemmas)
        scores = sorted({score for which, end in ends for score in self._scores(which, end.score, known)})
        many = {score: sum(band.low <= score <= band.high for band in self.bands.bands) for score in scores}
        return {score: count for score, count in many.items() if count != 1}

    @staticmethod
    def _scores(which: int, score: Expr, lemmas: Iterable[Expr]) -> range:
        """What an end can give; sharpened by what was proved of just that, in the form `score <= n`."""
        low, high = interval(score)
        form = form_of(score)
        for lemma in (as_ended(lemma, which) for lemma in lemmas):
            for expr in lemma.args if isinstance(lemma, Op) and lemma.op == "and" else (lemma,):
                if isinstance(expr, Op) and expr.op == "le" and form_of(expr.args[0]) == form:
                    high = min(high, interval(expr.args[1])[1])
        return range(low, high + 1)

    def goals(self) -> dict[Target, Goal]:
        return {target: partial(self._ended_with, target.score) for target in self._targets}

    def conditions(self) -> dict[Target, Expr]:
        """Nearly the same, to play towards: an end may count something else than the score."""
        score = self.system.score
        return {t: conj(Ended(-1), equal(score, number(t.score))) for t in self._targets if t.score is not None}

    def _ended_with(self, score: int | None, dealt: Dealt, state: PackedState) -> bool:
        return bool(self.compiled.ended(state)) and self.compiled.score(dealt, state) == score

    def results(self, traces: Mapping[Target, Trace]) -> Iterator[Result]:
        if self.bands is None:
            return
        expected = Verdict.PROVED if self.bands.refuted_because is None else Verdict.REFUTED
        bands = Obligation(BANDS.kind, (), self.bands.clauses, expected)
        shown = [target for target in self._targets if target in traces]
        if not self._targets:
            yield Result(bands, Verdict.PROVED, "arithmetic")
        elif shown:
            many = self._targets[shown[-1]]
            detail = f"{shown[-1].score} points lie in {many or 'no'} band{'s' if many > 1 else ''}"
            yield Result(bands, Verdict.REFUTED, "game", detail, traces[shown[-1]])
        else:
            first, many = next(iter(self._targets.items()))
            detail = f"{first.score} points lie in {many or 'no'} band, and no game was found that has them"
            yield Result(bands, Verdict.UNDECIDED, "search", detail)
