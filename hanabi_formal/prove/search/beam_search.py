"""Games of one deal played side by side: after each step the most promising go on, by a given estimate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from hanabi_formal.kernel.trace import Instance, Trace
from hanabi_formal.prove.search.explorer import StepBudget, StepGoal, random_deal
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState
from hanabi_formal.run.faults import Fault
from hanabi_formal.run.follow import states_of

BEAM_WIDTH = 12
MOST_OVERDRAWN = 60_000
"""As many steps as all games of a deal usually take. Rules under which games never end take more."""
MOST_STEPS = 1000
StepPath = tuple[Instance, ...]
Front = dict[PackedState, StepPath]
"""The states that go on, each with the steps that led there."""
Estimate = Callable[[Dealt, PackedState], int]


@dataclass(frozen=True)
class BeamGames:
    """The game that went on longest, and one whose last step reached the goal, if one did."""

    longest: Trace
    reaching: Trace | None


class Beam:
    """`budget` is the number of steps that may be tried; a deal that was begun may take some more."""

    def __init__(self, compiled: Compiled, budget: int, seed: int = 7, most_steps: int = MOST_STEPS) -> None:
        self.compiled = compiled
        self.budget = StepBudget(compiled, budget)
        self.most_steps = most_steps
        self.random = Random(seed)

    def deal(self) -> list[int]:
        return random_deal(self.compiled, self.random)

    def play(self, estimate: Estimate, goal: StepGoal | None = None, begun: Trace | None = None) -> BeamGames | None:
        """Games of a new deal, or ways to go on with one that was begun, until all have ended or one reached the goal.

        None if the rules broke down, or do not allow what was begun.
        """
        begun = begun or Trace(tuple(self.deal()))
        dealt, states = states_of(self.compiled, begun)
        if len(states) <= len(begun.actions):
            return None
        front: Front = {states[-1]: begun.actions}
        longest: StepPath = ()
        try:
            for _ in range(self.most_steps):
                if self.budget.left < -MOST_OVERDRAWN:
                    break
                longest = next(iter(front.values()))
                front, over, reaching = self._advance(dealt, front, estimate, goal)
                if reaching:
                    return BeamGames(Trace(begun.faces, longest), Trace(begun.faces, reaching))
                if not front:
                    longest = over or longest
                    break
        except Fault:
            return None
        return BeamGames(Trace(begun.faces, longest), None)

    def _advance(
        self, dealt: Dealt, front: Front, estimate: Estimate, goal: StepGoal | None
    ) -> tuple[Front, StepPath, StepPath]:
        """One step everywhere; also a game that ended by it, and one that reached the goal by it, if one did."""
        compiled, uniform = self.compiled, self.random.random
        following: dict[PackedState, tuple[int, float, PackedState, int]] = {}
        over: StepPath = ()
        for state, path in front.items():
            codes = compiled.legal(dealt, state)
            self.budget.look(len(codes))
            for code in codes:
                after = compiled.step(dealt, state, code)
                if goal is not None and goal(dealt, state, code, after):
                    return {}, over, (*path, compiled.decode(state, code))
                if not compiled.ended(after):
                    if after not in following:
                        following[after] = (estimate(dealt, after), uniform(), state, code)
                elif not over:
                    over = (*path, compiled.decode(state, code))
        chosen = sorted(following.items(), key=lambda item: item[1][:2], reverse=True)[:BEAM_WIDTH]
        ahead = {after: (*front[state], compiled.decode(state, code)) for after, (_, _, state, code) in chosen}
        return ahead, over, ()
