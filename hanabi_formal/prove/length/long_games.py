"""Long games, found by playing: of all steps those that leave the most actions by a given bound."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import cycle, islice
from random import Random

from hanabi_formal.kernel.trace import Trace
from hanabi_formal.prove.length.measures import Candidate, Meter
from hanabi_formal.prove.length.ranking_check import Sample
from hanabi_formal.prove.search.beam_search import MOST_STEPS, Beam, Estimate
from hanabi_formal.prove.search.explorer import random_deal
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.run.faults import Fault

GAMES = 20
DEALS = 12
CHANCES = 4
LIKINGS = (0, 1, 2, 4)
SEED = 7


def samples(compiled: Compiled, meter: Meter) -> Iterator[Sample]:
    """Steps of games played at random, but for steps that end a game: of those, others are tried instead."""
    random = Random(SEED)
    for _ in range(GAMES):
        dealt = compiled.deal(random_deal(compiled, random))
        with suppress(Fault):
            state = compiled.start(dealt)
            for _ in range(MOST_STEPS):
                codes = compiled.legal(dealt, state)
                if not codes:
                    break
                before = meter.read(dealt, state)
                for _ in range(CHANCES):
                    after = compiled.step(dealt, state, random.choice(codes))
                    ended = compiled.ended(after)
                    yield Sample(before, None if ended else meter.read(dealt, after))
                    if not ended:
                        break
                state = after


def longest_game(compiled: Compiled, candidate: Candidate, enough: int, budget: int) -> Trace | None:
    """The longest found with so many steps tried; the search stops when one has as many actions as are enough."""
    beam, left = Beam(compiled, budget, SEED), compiled.measure(candidate.expr)
    best: Trace | None = None
    for liking in islice(cycle(LIKINGS), DEALS):
        if beam.budget.is_spent:
            break
        played = beam.play(_estimate(left, compiled.score, liking * candidate.scale))
        if played is not None and (best is None or len(played.longest.actions) > len(best.actions)):
            best = played.longest
        if best is not None and len(best.actions) >= enough:
            break
    return best


def _estimate(left: Estimate, score: Estimate, liking: int) -> Estimate:
    """Points are no actions, but a game in which none are sought may end early."""
    return (lambda dealt, state: left(dealt, state) + liking * score(dealt, state)) if liking else left
