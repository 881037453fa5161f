"""Long games, found by playing: of all steps those that leave the most actions by a given bound."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, islice

from hanabi_formal.kernel.trace import Trace
from hanabi_formal.prove.length.measures import Candidate, Meter
from hanabi_formal.prove.length.ranking_check import Sample
from hanabi_formal.prove.search.beam_search import MOST_STEPS, Beam, Estimate
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.run.faults import Fault

GAMES = 20
DEALS = 12
CHANCES = 4
LIKINGS = (0, 1, 2, 4)


class LongGames:
    """`budget` is the number of steps that may be tried in all."""

    def __init__(self, compiled: Compiled, budget: int = 0) -> None:
        self.compiled = compiled
        self.beam = Beam(compiled, budget)

    def samples(self, meter: Meter) -> Iterator[Sample]:
        """Steps of games played at random, but for steps that end a game: of those, others are tried instead."""
        compiled, choice = self.compiled, self.beam.random.choice
        for _ in range(GAMES):
            dealt = compiled.deal(self.beam.deal())
            try:
                state = compiled.start(dealt)
                for _ in range(MOST_STEPS):
                    codes = compiled.legal(dealt, state)
                    if not codes:
                        break
                    before = meter.read(dealt, state)
                    for _ in range(CHANCES):
                        after = compiled.step(dealt, state, choice(codes))
                        ended = compiled.ended(after)
                        yield Sample(before, None if ended else meter.read(dealt, after))
                        if not ended:
                            break
                    state = after
            except Fault:
                continue

    def longest(self, candidate: Candidate, enough: int) -> Trace | None:
        """The longest game found; the search stops when one has as many actions as are enough."""
        left = self.compiled.measure(candidate.expr)
        best: Trace | None = None
        for liking in islice(cycle(LIKINGS), DEALS):
            if self.beam.budget.is_spent:
                break
            played = self.beam.play(self._estimate(left, liking * candidate.scale))
            if played is not None and (best is None or len(played.longest.actions) > len(best.actions)):
                best = played.longest
            if best is not None and len(best.actions) >= enough:
                break
        return best

    def _estimate(self, left: Estimate, liking: int) -> Estimate:
        """Points are no actions, but a game in which none are sought may end early."""
        score = self.compiled.score
        return (lambda dealt, state: left(dealt, state) + liking * score(dealt, state)) if liking else left
