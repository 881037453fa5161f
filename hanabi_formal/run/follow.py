"""Given actions played by the executor, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from hanabi_formal.kernel.trace import Instance, Trace
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState
from hanabi_formal.run.faults import Fault


def follow(
    compiled: Compiled, dealt: Dealt, state: PackedState, actions: Iterable[Instance]
) -> Iterator[tuple[int, PackedState]]:
    """The number of each action and the state after it, up to the first that is not legal."""
    for action in actions:
        code = compiled.encode(dealt, state, action)
        if code is None:
            return
        state = compiled.step(dealt, state, code)
        yield code, state


def after(compiled: Compiled, dealt: Dealt, state: PackedState, action: Instance) -> PackedState | None:
    """The state after one action; None if it is not legal."""
    return next((found for _, found in follow(compiled, dealt, state, [action])), None)


def states_of(compiled: Compiled, trace: Trace) -> tuple[Dealt, list[PackedState]]:
    """The states of a game as far as it is legal and the rules do not break down; there may be not even a first."""
    dealt = compiled.deal(list(trace.faces))
    states: list[PackedState] = []
    with suppress(Fault):
        states.append(compiled.start(dealt))
        states.extend(state for _, state in follow(compiled, dealt, states[0], trace.actions))
    return dealt, states


def legal_part(compiled: Compiled, trace: Trace) -> Trace:
    """As much of a game of other rules as is one of these."""
    _, states = states_of(compiled, trace)
    return trace.until(max(0, len(states) - 1))
