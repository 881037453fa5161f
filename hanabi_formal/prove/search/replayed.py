"""Games replayed: by the executor and by the interpreter, which must agree at every step.

What was confirmed once is remembered as long as the executor lives, beginnings of games with it, so that many can ask
for the same game and the interpreter plays it once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from hanabi_formal.kernel.trace import Instance, Trace
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState
from hanabi_formal.run.faults import IllegalAction
from hanabi_formal.run.interpret import Snapshot


class _Node:
    """A state that both readings came to, and those that they came to from there."""

    def __init__(self, state: PackedState, spelt_out: Snapshot) -> None:
        self.state = state
        self.spelt_out = spelt_out
        self.after: dict[Instance, _Node] = {}


class _ConfirmedDeal:
    """All games of one deal that were confirmed so far. It keeps no executor alive."""

    def __init__(self, compiled: Compiled, faces: tuple[int, ...]) -> None:
        self.faces = faces
        self.dealt: Dealt = compiled.deal(list(faces))
        self.start = _agreed(compiled, compiled.start(self.dealt), compiled.interpreter.start(faces))

    def after(self, compiled: Compiled, before: _Node, step: Instance) -> _Node:
        if step not in before.after:
            before.after[step] = self._confirmed(compiled, before, step)
        return before.after[step]

    def _confirmed(self, compiled: Compiled, before: _Node, step: Instance) -> _Node:
        code = compiled.encode(self.dealt, before.state, step)
        if code is None:
            raise IllegalAction(f"`{step.name}` is not legal there")
        spelt_out = compiled.interpreter.step(before.spelt_out, self.faces, step).after
        return _agreed(compiled, compiled.step(self.dealt, before.state, code), spelt_out)


def _agreed(compiled: Compiled, state: PackedState, spelt_out: Snapshot) -> _Node:
    if compiled.snapshot(state) != spelt_out:
        raise RuntimeError("the executor and the interpreter disagree")
    return _Node(state, spelt_out)


_CONFIRMED: WeakKeyDictionary[Compiled, dict[tuple[int, ...], _ConfirmedDeal]] = WeakKeyDictionary()


@dataclass(frozen=True)
class ReplayedGame:
    """A game in both readings: the states from the first to the last, packed and spelt out."""

    dealt: Dealt
    states: tuple[PackedState, ...]
    spelt_out: tuple[Snapshot, ...]


def played(compiled: Compiled, trace: Trace) -> ReplayedGame:
    """All states of a game; `IllegalAction` if it is none of these rules."""
    deals = _CONFIRMED.setdefault(compiled, {})
    if trace.faces not in deals:
        deals[trace.faces] = _ConfirmedDeal(compiled, trace.faces)
    deal = deals[trace.faces]
    nodes = [deal.start]
    for step in trace.actions:
        nodes.append(deal.after(compiled, nodes[-1], step))
    return ReplayedGame(deal.dealt, tuple(node.state for node in nodes), tuple(node.spelt_out for node in nodes))


def replay(compiled: Compiled, trace: Trace) -> tuple[Dealt, PackedState]:
    """The last state of a game."""
    game = played(compiled, trace)
    return game.dealt, game.states[-1]


def is_confirmed(compiled: Compiled, trace: Trace) -> bool:
    """Did both readings play it already?"""
    deal = _CONFIRMED.get(compiled, {}).get(trace.faces)
    node = deal.start if deal is not None else None
    for step in trace.actions:
        node = node.after.get(step) if node is not None else None
    return node is not None


def longest_games(traces: Iterable[Trace]) -> tuple[Trace, ...]:
    """Those that begin no other, each once, in the order in which they or their beginnings first come."""
    several = list(dict.fromkeys(traces))
    longest = [max((t for t in several if trace.begins(t)), key=lambda t: len(t.actions)) for trace in several]
    return tuple(dict.fromkeys(longest))
