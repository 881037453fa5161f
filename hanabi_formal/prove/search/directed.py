"""Games played towards one condition, several of a deal side by side.

A step towards it may put it out of reach for good. Where the text says of the score that it never exceeds something
that depends on the state (`score <= reachable_max()`), two searches in three keep that as high as they can; what such a
bound means is not known here. A condition that asks something of the deal is looked for on such deals.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import cycle

from hanabi_formal.kernel.canonical import form_of
from hanabi_formal.kernel.expr import Expr, Get, Op, walk
from hanabi_formal.kernel.rewrite import as_ended
from hanabi_formal.kernel.system import PropertyKind, System
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.prove.consistency.vacuity import rigid_part
from hanabi_formal.prove.length.measures import as_number
from hanabi_formal.prove.search.beam_search import Beam, Estimate
from hanabi_formal.prove.search.distance import distance
from hanabi_formal.prove.search.explorer import Goal
from hanabi_formal.prove.search.made_deals import dealer_of
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState

BUDGET = 60_000
"""How many steps may be tried towards one condition."""
OUTWEIGHS = 1000
"""What each thing is worth in units of the next: more than there ever are of them."""


def game_towards(compiled: Compiled, condition: Expr, budget: int = BUDGET) -> Trace | None:
    """A game that ends where the condition holds, if one is found."""
    beam = Beam(compiled, budget)
    dealer = None
    rigid = rigid_part(condition)
    if rigid is not None:
        dealer, _ = dealer_of(compiled, rigid)
        if dealer is None:
            return None
    goal = partial(_after, compiled.predicate(condition))
    for estimate in cycle(list(_estimates(compiled, condition))):
        if beam.budget.is_spent:
            return None
        begun = Trace(tuple(dealer(beam.random)), ()) if dealer is not None else None
        played = beam.play(estimate, goal, begun)
        if played is None or played.reaching is not None:
            return played.reaching if played is not None else None
    return None


def bounds_of_score(system: System) -> Iterator[Expr]:
    """What the text says the score never exceeds, where that depends on the state."""
    score = form_of(system.score)
    for prop in system.properties:
        for expr in prop.exprs if prop.kind == PropertyKind.INVARIANT else ():
            match as_ended(expr, None):
                case Op("le", (left, bound)) if any(isinstance(node, Get) for node in walk(bound)):
                    if form_of(left) == score:
                        yield bound


def _estimates(compiled: Compiled, condition: Expr) -> Iterator[Estimate]:
    """Two with foresight, if there is any, and one without."""
    far: Estimate = compiled.predicate(as_number(distance(condition)))
    bounds: list[Estimate] = [compiled.predicate(as_number(bound)) for bound in bounds_of_score(compiled.system)]
    if bounds:
        yield from [partial(_foresight, bounds, far, compiled.score)] * 2
    yield partial(_nearness, far)


def _nearness(far: Estimate, dealt: Dealt, state: PackedState) -> int:
    return -far(dealt, state)


def _foresight(bounds: list[Estimate], far: Estimate, score: Estimate, dealt: Dealt, state: PackedState) -> int:
    """The bounds, then the distance, then points: whatever is gained is out of the way."""
    return (sum(bound(dealt, state) for bound in bounds) * OUTWEIGHS - far(dealt, state)) * OUTWEIGHS + score(
        dealt, state
    )


def _after(goal: Goal, dealt: Dealt, before: PackedState, code: int, after: PackedState) -> object:
    return goal(dealt, after)
