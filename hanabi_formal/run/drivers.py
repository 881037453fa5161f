"""Players for a game they know only by its rules: one that plays at random, one that looks a step ahead.

The second is guided by the specification's own score and losing ends: it takes the step after which the score is
highest, and among equals the one that comes least close to an end that loses. It sees all cards.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from hanabi_formal.kernel.expr import Get, Lit, Op, walk
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState
from hanabi_formal.run.compiler.layout import Scalar

Driver = Callable[[Dealt, PackedState], int]


def random_driver(compiled: Compiled, seed: int | str) -> Driver:
    uniform = Random(f"choices {seed}").random
    return lambda dealt, state: compiled.pick(dealt, state, uniform())


def skilled_driver(compiled: Compiled, seed: int | str, deviation: float = 0.0) -> Driver:
    """With probability `deviation` a step is chosen at random instead."""
    uniform = Random(f"choices {seed}").random
    distances = losing_distances(compiled)
    outcomes = [end.outcome for end in compiled.system.ends]

    def worth(dealt: Dealt, state: PackedState) -> tuple[int, int, int]:
        end = compiled.ended(state)
        rank = {"won": 1, "over": 0, "lost": -1}[outcomes[end - 1]] if end else 0
        return rank, compiled.score(dealt, state), sum(abs(state[cell] - goal) for cell, goal in distances)

    def choose(dealt: Dealt, state: PackedState) -> int:
        codes = compiled.legal(dealt, state)
        if uniform() < deviation:
            return codes[int(uniform() * len(codes))]
        valued = [(worth(dealt, compiled.step(dealt, state, code)), code) for code in codes]
        best = max(value for value, _ in valued)
        among = [code for value, code in valued if value == best]
        return among[int(uniform() * len(among))]

    return choose


def losing_distances(compiled: Compiled) -> list[tuple[int, int]]:
    """Cells of the state, each with the value at which a losing end holds: the further from it, the better."""
    found: list[tuple[int, int]] = []
    for end in compiled.system.ends:
        for node in walk(end.condition) if end.outcome == "lost" else ():
            match node:
                case Op("eq", (Get(var, ()), Lit(goal))):
                    kept = compiled.layout.kept[var]
                    if isinstance(kept, Scalar):
                        found.append((compiled.layout.where(kept.slot)[0], goal))
    return found
