"""A game that shows the same with fewer actions, if a short search finds one.

Two ways: playing anew with the same deal, all the time towards the condition; and leaving parts of the game out. What
is then illegal is replaced by the most similar action that is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.trace import Instance, Trace
from hanabi_formal.prove.search.beam_search import Beam
from hanabi_formal.prove.search.directed import after_step, distance, nearness
from hanabi_formal.prove.search.explorer import Goal
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState
from hanabi_formal.run.faults import Fault

BUDGET = 30_000
"""How many steps may be tried."""


class Shortener:
    """For games of one executor that reach a condition."""

    def __init__(self, compiled: Compiled, condition: Expr) -> None:
        self.compiled = compiled
        self.condition = condition
        self.goal: Goal = compiled.predicate(condition)
        self.budget = BUDGET

    def shorter(self, trace: Trace) -> Trace:
        """The shortest found: the game itself at worst."""
        best = self._follow(trace, trace.actions) or trace
        best = self._anew(best) or best
        while self.budget > 0:
            found = next((short for part in self._parts(best) if (short := self._follow(best, part))), None)
            if found is None:
                break
            best = found
        return best

    def _anew(self, trace: Trace) -> Trace | None:
        if len(trace.actions) < 2:
            return None
        beam = Beam(self.compiled, self.budget // 2, most_steps=len(trace.actions) - 1)
        estimate = nearness(self.compiled, distance(self.condition))
        played = beam.play(estimate, after_step(self.goal), Trace(trace.faces))
        self.budget -= self.budget // 2 - beam.budget.left
        return played.reaching if played is not None else None

    def _parts(self, trace: Trace) -> Iterator[tuple[Instance, ...]]:
        """The actions with some left out, many first."""
        actions = trace.actions
        size = len(actions) // 2
        while size > 0:
            for start in range(0, len(actions) - size + 1, max(1, size // 2)):
                yield actions[:start] + actions[start + size :]
            size = size * 2 // 3 if size > 2 else size - 1

    def _follow(self, trace: Trace, actions: tuple[Instance, ...]) -> Trace | None:
        """The game with these actions instead, as far as the goal; None if it is not reached."""
        for so_far, dealt, state in followed(self.compiled, Trace(trace.faces, actions)):
            if self.goal(dealt, state):
                return so_far
            if len(so_far.actions) < len(actions):
                self.budget -= 1
            if self.budget <= 0:
                return None
        return None


def followed(compiled: Compiled, trace: Trace) -> Iterator[tuple[Trace, Dealt, PackedState]]:
    """A game from its start, step by step, as far as the rules go on; for what is illegal, the most similar action."""
    dealt = compiled.deal(list(trace.faces))
    state = compiled.start(dealt)
    taken: tuple[Instance, ...] = ()
    yield Trace(trace.faces), dealt, state
    with suppress(Fault):
        for wanted in trace.actions:
            code = similar(compiled, dealt, state, wanted)
            if code is None:
                return
            taken = (*taken, compiled.decode(state, code))
            state = compiled.step(dealt, state, code)
            yield Trace(trace.faces, taken), dealt, state


def similar(compiled: Compiled, dealt: Dealt, state: PackedState, wanted: Instance) -> int | None:
    """The action itself if it is legal, else a legal one of the same kind with as many of the arguments as can be."""
    best: tuple[int, int] | None = None
    for code in compiled.legal(dealt, state):
        instance = compiled.decode(state, code)
        if instance == wanted:
            return code
        if instance.name == wanted.name:
            alike = sum(a == b for a, b in zip(instance.args, wanted.args, strict=True))
            if best is None or alike > best[0]:
                best = alike, code
    return None if best is None else best[1]
