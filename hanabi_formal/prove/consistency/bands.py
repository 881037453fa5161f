"""Bands cover every score that a game can end with, each score once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from hanabi_formal.kernel.build import FALSE, conj, equal, interval, number
from hanabi_formal.kernel.canonical import form_of
from hanabi_formal.kernel.expr import Ended, Expr, Op
from hanabi_formal.kernel.rewrite import as_ended
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.prove.search.explorer import Goal
from hanabi_formal.prove.verdicts import Result, Verdict
from hanabi_formal.run.compiler.compile import Compiled, Dealt, Packed_State

BANDS = "bands cover every score once"


class BandCheck:
    """Arithmetic finds the scores that lie in no band or in several; a game shows that one of them can be had."""

    def __init__(self, compiled: Compiled, players: int | None, lemmas: Iterable[Expr]) -> None:
        self.compiled = compiled
        self.system: System = compiled.system
        self.players = players
        self.faults = self._faults(lemmas)

    def _faults(self, lemmas: Iterable[Expr]) -> dict[int, int]:
        bands = self.system.bands
        if bands is None or bands.condition == FALSE:
            return {}
        ends = [(which, end) for which, end in enumerate(self.system.ends) if end.condition != FALSE]
        known = list(lemmas)
        scores = sorted({score for which, end in ends for score in self._scores(which, end.score, known)})
        many = {score: sum(band.low <= score <= band.high for band in bands.bands) for score in scores}
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

    def goals(self) -> dict[str, Goal]:
        return {f"score {score}": partial(self._ended_with, score) for score in self.faults}

    def conditions(self) -> dict[str, Expr]:
        """Nearly the same, to play towards: an end may count something else than the score."""
        score = self.system.score
        return {f"score {wanted}": conj(Ended(-1), equal(score, number(wanted))) for wanted in self.faults}

    def _ended_with(self, score: int, dealt: Dealt, state: Packed_State) -> bool:
        return bool(self.compiled.ended(state)) and self.compiled.score(dealt, state) == score

    def results(self, traces: Mapping[str, Trace], seconds: float) -> Iterator[Result]:
        bands = self.system.bands
        if bands is None or bands.condition == FALSE:
            return
        expected = Verdict.PROVED if bands.refuted_because is None else Verdict.REFUTED
        shown = [score for score in self.faults if f"score {score}" in traces]
        if not self.faults:
            yield Result(BANDS, self.players, Verdict.PROVED, expected, "arithmetic", bands.clauses, seconds)
        elif shown:
            score = shown[-1]
            few = self.faults[score]
            detail = f"{score} points lie in {few or 'no'} band{'s' if few > 1 else ''}"
            trace = traces[f"score {score}"]
            yield Result(BANDS, self.players, Verdict.REFUTED, expected, "game", bands.clauses, seconds, detail, trace)
        else:
            score = min(self.faults)
            detail = f"{score} points lie in {self.faults[score] or 'no'} band, and no game was found that has them"
            yield Result(BANDS, self.players, Verdict.UNDECIDED, expected, "search", bands.clauses, seconds, detail)
