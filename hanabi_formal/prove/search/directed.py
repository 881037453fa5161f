"""Games played towards one condition, several of a deal side by side.

A step towards it may put it out of reach for good. Where the text says of the score that it never exceeds something
that depends on the state (`score <= reachable_max()`), two searches in three keep that as high as they can; what such a
bound means is not known here. A condition that asks something of the deal is looked for on such deals.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial, reduce
from itertools import cycle

from hanabi_formal.kernel.build import arith, ite, negate, number, quant
from hanabi_formal.kernel.canonical import form_of
from hanabi_formal.kernel.expr import Expr, Get, Op, Quant, walk
from hanabi_formal.kernel.rewrite import as_ended
from hanabi_formal.kernel.system import PropertyKind, System
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.kernel.types import IntType
from hanabi_formal.prove.consistency.vacuity import rigid_part
from hanabi_formal.prove.search.beam_search import Beam, Estimate
from hanabi_formal.prove.search.explorer import Goal, StepGoal
from hanabi_formal.prove.search.made_deals import dealer_of
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState
from hanabi_formal.smt.translate import is_large

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
    goal = after_step(compiled.predicate(condition))
    for estimate in cycle(list(_estimates(compiled, condition))):
        if beam.budget.is_spent:
            break
        begun = Trace(tuple(dealer(beam.random)), ()) if dealer is not None else None
        played = beam.play(estimate, goal, begun)
        if played is None or played.reaching is not None:
            return played.reaching if played is not None else None
    return None


def after_step(goal: Goal) -> StepGoal:
    """A goal asked of the state after a step."""
    return lambda dealt, before, code, after: goal(dealt, after)


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
    near = nearness(compiled, distance(condition))
    bounds = [compiled.measure(bound) for bound in bounds_of_score(compiled.system)]
    if bounds:
        yield from [partial(_foresight, bounds, near, compiled.score)] * 2
    yield near


def nearness(compiled: Compiled, far: Expr) -> Estimate:
    """The less is left to do, the better."""
    measure = compiled.measure(far)
    return lambda dealt, state: -measure(dealt, state)


def _foresight(bounds: list[Estimate], near: Estimate, score: Estimate, dealt: Dealt, state: PackedState) -> int:
    """The bounds, then the distance, then points: whatever is gained is out of the way."""
    most = sum(bound(dealt, state) for bound in bounds)
    return (most * OUTWEIGHS + near(dealt, state)) * OUTWEIGHS + score(dealt, state)


# ---- how far a state is from a condition -----------------------------------------------------------
def distance(condition: Expr) -> Expr:
    """A number made of the condition's own parts: 0 where it holds, and more the more there is left to do."""
    match condition:
        case Op("and", args):
            return reduce(lambda a, b: arith("add", a, b), map(distance, args))
        case Op("or", args):
            return reduce(lambda a, b: arith("min", a, b), map(distance, args))
        case Op("eq", (left, right)) if isinstance(left.type, IntType):
            return arith("sub", arith("max", left, right), arith("min", left, right))
        case Op("le", (left, right)):
            return _excess(left, right)
        case Op("lt", (left, right)):
            return _excess(arith("add", left, number(1)), right)
        case Op("not", (Op("le", (left, right)),)):
            return _excess(arith("add", right, number(1)), left)
        case Op("not", (Op("lt", (left, right)),)):
            return _excess(right, left)
        case Op("not", (Op("and" | "or" as op, args),)):
            return distance(Op("or" if op == "and" else "and", tuple(map(negate, args)), condition.type))
        case Op("not", (Quant("exists" | "forall" as kind, binders, body),)) if not _is_wide(binders):
            return quant("sum" if kind == "exists" else "min", binders, distance(negate(body)))
        case Quant("exists" | "forall" as kind, binders, body) if not _is_wide(binders):
            return quant("sum" if kind == "forall" else "min", binders, distance(body))
        case Quant("forall", binders, body):
            return quant("count", binders, negate(body))
        case Op("not", (Quant("exists", binders, body),)):
            return quant("count", binders, body)
        case _:
            return ite(condition, number(0), number(1))


def _excess(left: Expr, right: Expr) -> Expr:
    return arith("max", number(0), arith("sub", left, right))


def _is_wide(binders: tuple[Expr, ...]) -> bool:
    return any(is_large(binder.type) for binder in binders)
