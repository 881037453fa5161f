"""How long games are: a bound that no game exceeds, and the longest game found; exact where they meet."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

from hanabi_formal.kernel.build import interval
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import Property, PropertyKind
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.prove.induction.induction import Induction
from hanabi_formal.prove.induction.solver_call import ProofListener, inexpressible, serving
from hanabi_formal.prove.induction.step_goals import Claims
from hanabi_formal.prove.length.long_games import SEED, longest_game, samples
from hanabi_formal.prove.length.measures import (
    ONE,
    Candidate,
    MeasuredState,
    Measures,
    MeasureTerm,
    Meter,
    RankingWeights,
    candidate_of,
    is_plain,
    known_at_start,
    measures_of,
    without_maps,
)
from hanabi_formal.prove.length.ranking_check import Descent
from hanabi_formal.prove.length.ranking_synthesis import RankingSynthesis
from hanabi_formal.prove.obligation import Obligation, ObligationKind, Result, Verdict
from hanabi_formal.prove.search.explorer import random_deal
from hanabi_formal.prove.search.replayed import replay
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.run.faults import Fault, IllegalAction
from hanabi_formal.smt.translate import Beyond

LENGTH = Obligation.of(ObligationKind.LENGTH)
QUICK = 20_000
THOROUGH = 150_000


@dataclass(frozen=True)
class Bound:
    """No game has more actions; `candidate` bounds what is left in any state."""

    actions: int
    candidate: Candidate
    method: str


class Measured:
    """One game, with the longest of its games known so far."""

    def __init__(self, compiled: Compiled, lemmas: tuple[Expr, ...], listener: ProofListener | None) -> None:
        self.compiled = compiled
        self.system = compiled.system
        self.lemmas = lemmas
        self.listener = listener
        self.trace: Trace | None = None
        dealt = compiled.deal(random_deal(compiled, Random(SEED)))
        every = measures_of(self.system)
        self.measures = known_at_start(every, self.system, Meter(compiled, every).read(dealt, compiled.start(dealt)))
        self.meter = Meter(compiled, self.measures)
        self.first: MeasuredState = self.meter.read(dealt, compiled.start(dealt))

    @property
    def longest(self) -> int:
        return len(self.trace.actions) if self.trace else 0

    def remember(self, trace: Trace | None) -> None:
        """A game found earlier, if it can be played under these rules."""
        with suppress(IllegalAction):
            if trace is not None:
                replay(self.compiled, trace)
                self.trace = trace

    def look_for_longer(self, bound: Bound, budget: int) -> None:
        if self.longest < bound.actions:
            found = longest_game(self.compiled, bound.candidate, bound.actions, budget)
            if found is not None and len(found.actions) > self.longest:
                replay(self.compiled, found)
                self.trace = found
        if self.longest > bound.actions:
            raise RuntimeError(f"no game can have more than {bound.actions} actions, and one has {self.longest}")

    # ---- bounds ----------------------------------------------------------------------------------
    def remembered(self, weights: RankingWeights) -> Bound | None:
        """Weights found earlier are believed if they can be proved."""
        candidate = candidate_of(self.measures, weights)
        if candidate is None:
            return None
        for measures in self._tiers():
            is_about = all(term.number < len(measures.numbers) for term, _ in candidate.weights)
            if is_about and self._descent(measures).is_proved(candidate):
                return self._linear(candidate)
        return None

    def linear(self) -> Bound | None:
        """First with single variables alone; with everything if that leaves no bound or one that no game meets."""
        best: Bound | None = None
        seen = list(samples(self.compiled, self.meter))
        for measures in self._tiers():
            synthesis = RankingSynthesis(measures, self._descent(measures), self.first, seen)
            for candidate in synthesis.improving():
                found = self._linear(candidate)
                if best is None or found.actions < best.actions:
                    best = found
                    self.look_for_longer(best, QUICK)
                if self.longest == best.actions:
                    return best
        return best

    def _tiers(self) -> Iterable[Measures]:
        plain = without_maps(self.measures, self.system)
        return (plain, self.measures) if plain != self.measures else (plain,)

    def _descent(self, measures: Measures) -> Descent:
        few = measures != self.measures
        lemmas = tuple(lemma for lemma in self.lemmas if not few or is_plain(lemma, self.system))
        return Descent(self.system, lemmas, measures, self.listener)

    def _linear(self, candidate: Candidate) -> Bound:
        return Bound(candidate.at(self.first), candidate, "linear ranking")

    def lexicographic(self, ranking: Property) -> Bound | None:
        """Each number of the ranking weighs as much as all values of those behind it together."""
        one = Obligation.declared(ranking)
        claims = Claims(rankings={one: ranking.exprs})
        if not Induction(self.system, self.lemmas, self.listener).prove(claims)[one].proved:
            return None
        weights: list[tuple[MeasureTerm, Fraction]] = []
        numbers = (ONE, *ranking.exprs)
        least, start, weight = 0, 0, 1
        for number in range(len(numbers) - 1, 0, -1):
            low, high = interval(numbers[number])
            known = numbers[number] in self.measures.numbers
            at_start = self.first.numbers[self.measures.numbers.index(numbers[number])] if known else high
            weights.append((MeasureTerm((), number), Fraction(weight)))
            least, start = least + weight * low, start + weight * at_start
            weight *= high - low + 1
        weights.append((MeasureTerm((), 0), Fraction(1 - least)))
        return Bound(start - least + 1, Candidate(Measures(numbers, ()), tuple(weights)), "lexicographic ranking")


def length(
    compiled: Compiled,
    lemmas: tuple[Expr, ...],
    known: Trace | None = None,
    known_weights: RankingWeights | None = None,
    listener: ProofListener | None = None,
) -> Result | None:
    """The bound and the longest game. None if the rules promise no end and no bound was found.

    `known` are the longest game and the weights of an earlier check. The result has the weights that a later one needs
    to prove the bound at once.
    """
    kind = PropertyKind.TERMINATES
    rankings = [p for p in compiled.system.properties if p.kind == kind and p.refuted_because is None]
    clauses = tuple(dict.fromkeys(clause for ranking in rankings for clause in ranking.clauses))
    one = replace(LENGTH, clauses=clauses)
    bound: Bound | None = None
    trace: Trace | None = None
    weights: RankingWeights = {}
    try:
        measured = Measured(compiled, lemmas, serving(listener, LENGTH))
        measured.remember(known)
        bound = measured.remembered(known_weights) if known_weights else None
        is_old = bound is not None and measured.trace is not None
        bound = bound or measured.linear()
        if bound is not None:
            weights = bound.candidate.named()
        else:
            found = (measured.lexicographic(ranking) for ranking in rankings)
            bound = min((b for b in found if b is not None), key=lambda b: b.actions, default=None)
        if bound is not None and not is_old:
            measured.look_for_longer(bound, THOROUGH)
        trace = measured.trace
        detail = "no bound was found"
    except Beyond as problem:
        detail = inexpressible(problem).detail
    except Fault as fault:
        detail = str(fault)
    if bound is None:
        return Result(one, Verdict.UNDECIDED, "linear ranking", detail, weights={}) if rankings else None
    many = len(trace.actions) if trace else 0
    detail = f"at most {bound.actions} actions; the longest found has {many}"
    if many == bound.actions:
        detail = f"exact: at most {bound.actions} actions, and a game has as many"
    return Result(one, Verdict.PROVED, bound.method, detail, trace, weights=weights)
