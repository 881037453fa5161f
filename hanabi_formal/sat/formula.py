"""The clauses of a question, by themselves: for whoever checks an answer, and has no use for what found it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from hanabi_formal.kernel.system import System
from hanabi_formal.run.interpret import Interpreter, Snapshot
from hanabi_formal.sat.encode.gates import digest
from hanabi_formal.sat.encode.grouped_actions import GroundGame
from hanabi_formal.sat.encode.nodes import deep
from hanabi_formal.sat.encode.unroll import StepOptions, Unrolling


@dataclass(frozen=True)
class Formula:
    """Clauses that can be met exactly if some game has not ended after `horizon` steps, or has ended with the goal.

    They are the same in every process; `digest` tells formulas apart. `choices` says what is chosen at each step.
    """

    variables: int
    clauses: Sequence[Sequence[int]]
    horizon: int
    choices: Sequence[StepOptions] = field(repr=False)

    @cached_property
    def digest(self) -> str:
        return digest(self.variables, self.clauses)


class TooLarge(Exception):
    """There are more clauses than anybody wanted."""


def cnf(
    system: System, faces: Sequence[int], state: Snapshot, goal: int, horizon: int, most: int | None = None
) -> Formula:
    """The clauses for that many steps; of `faces` and `state` see `ask`. `TooLarge` as soon as they are over `most`."""
    found = unrolling(system, tuple(faces), state, goal)
    for _ in range(horizon):
        found.step()
        if most is not None and len(found.cnf.clauses) > most:
            raise TooLarge
    return Formula(found.cnf.variables, found.cnf.clauses, horizon, found.choices)


def unrolling(system: System, faces: tuple[int, ...], state: Snapshot, goal: int) -> Unrolling:
    """The game from that state, no step taken yet."""
    with deep():
        game = GroundGame(system, faces)
    start: list[int] = []
    for variable in game.system.variables:
        value = state.values[variable.name]
        start += [value] if isinstance(value, int) else value
    with deep():
        found = Unrolling(game, start, goal)
    if state.end:
        found.close(Interpreter(system).score(state, faces) >= goal)
    return found
