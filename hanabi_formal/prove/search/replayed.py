"""Games replayed: by the executor and by the interpreter, which must agree at every step.

What was confirmed once is remembered as long as the executor lives, beginnings of games with it, so that many can ask
for the same game and the interpreter plays it once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from hanabi_formal.kernel.trace import Instance, Trace
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState
from hanabi_formal.run.faults import IllegalAction
from hanabi_formal.run.interpret import Snapshot


@dataclass(frozen=True)
class _Node:
    """A state that both readings came to, and those that they came to from there. It keeps no executor alive."""

    state: PackedState
    spelt_out: Snapshot
    after: dict[Instance, _Node] = field(default_factory=dict)


def _next(compiled: Compiled, dealt: Dealt, faces: tuple[int, ...], before: _Node, step: Instance) -> _Node:
    code = compiled.encode(dealt, before.state, step)
    if code is None:
        raise IllegalAction(f"`{step.name}` is not legal there")
    spelt_out = compiled.interpreter.step(before.spelt_out, faces, step).after
    return _agreed(compiled, compiled.step(dealt, before.state, code), spelt_out)


def _agreed(compiled: Compiled, state: PackedState, spelt_out: Snapshot) -> _Node:
    if compiled.snapshot(state) != spelt_out:
        raise RuntimeError("the executor and the interpreter disagree")
    return _Node(state, spelt_out)


_CONFIRMED: WeakKeyDictionary[Compiled, dict[tuple[int, ...], tuple[Dealt, _Node]]] = WeakKeyDictionary()
"""Of each deal the first state, and with it all games that were confirmed so far."""


@dataclass(frozen=True)
class ReplayedGame:
    """A game in both readings: the states from the first to the last, packed and spelt out."""

    dealt: Dealt
    states: tuple[PackedState, ...]
    spelt_out: tuple[Snapshot, ...]


def played(compiled: Compiled, trace: Trace) -> ReplayedGame:
    """All states of a game; `IllegalAction` if it is none of these rules."""
    deals, faces = _CONFIRMED.setdefault(compiled, {}), trace.faces
    if faces not in deals:
        dealt = compiled.deal(list(faces))
        deals[faces] = dealt, _agreed(compiled, compiled.start(dealt), compiled.interpreter.start(faces))
    dealt, node = deals[faces]
    nodes = [node]
    for step in trace.actions:
        if step not in node.after:
            node.after[step] = _next(compiled, dealt, faces, node, step)
        node = node.after[step]
        nodes.append(node)
    return ReplayedGame(dealt, tuple(node.state for node in nodes), tuple(node.spelt_out for node in nodes))


def replay(compiled: Compiled, trace: Trace) -> tuple[Dealt, PackedState]:
    """The last state of a game."""
    game = played(compiled, trace)
    return game.dealt, game.states[-1]


def is_confirmed(compiled: Compiled, trace: Trace) -> bool:
    """Did both readings play it already?"""
    _, node = _CONFIRMED.get(compiled, {}).get(trace.faces, (None, None))
    for step in trace.actions:
        node = node.after.get(step) if node is not None else None
    return node is not None


def longest_games(traces: Iterable[Trace]) -> tuple[Trace, ...]:
    """Those that begin no other, each once, in the order in which they or their beginnings first come."""
    several = list(dict.fromkeys(traces))
    longest = [max((t for t in several if trace.begins(t)), key=lambda t: len(t.actions)) for trace in several]
    return tuple(dict.fromkeys(longest))
