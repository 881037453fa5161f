"""Longer and longer games, until one reaches the goal or none can go on.

First horizons at which some game is easily still on. At the first one where that is not easy, two questions are asked
in turn, with more and more patience: does a somewhat shorter game reach the goal, and is any game of this length left?
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from hanabi_formal.kernel.trace import Instance
from hanabi_formal.run.interpret import Interpreter, Snapshot
from hanabi_formal.sat.encode.gates import digest
from hanabi_formal.sat.encode.unroll import Unrolling
from hanabi_formal.sat.solvers import Z3, Cadical, Engine, Solver
from hanabi_formal.sat.trimming import Proof, packed, trimmed

Verdict = Literal["reached", "impossible", "undecided"]
Found = tuple[Verdict, tuple[Instance, ...], int, Proof | None]

FIRST_HORIZON = 8
LAST_HORIZON = 2000
PATIENCE = 2000
SHORTER = 0.6
HOPE = 4


class Search:
    def __init__(
        self,
        unrolling: Unrolling,
        interpreter: Interpreter,
        faces: tuple[int, ...],
        state: Snapshot,
        goal: int,
        engine: Engine,
        proof: bool,
    ) -> None:
        self.conflicts = 0
        self._unrolling = unrolling
        self._interpreter = interpreter
        self._faces = faces
        self._state = state
        self._goal = goal
        self._engine = engine
        self._proof = proof
        self._marks: dict[int, tuple[int, int]] = {}

    def run(self, budget: int) -> Found:
        """The answer with that many conflicts at most."""
        self._budget = budget
        horizon, patience = FIRST_HORIZON, PATIENCE
        shorter: dict[int, Solver] = {}
        asked: list[int] = []
        longest: Solver | None = None
        tried = 0
        try:
            while self.conflicts < budget and horizon <= LAST_HORIZON:
                if longest is None:
                    self._unroll(horizon)
                    longest = self._solver(horizon, ended=False)
                found = self._solve(longest, patience)
                if found is False:
                    return "impossible", (), horizon, self._proof_of(longest, horizon)
                if found:
                    actions = self._replayed(longest.model(), horizon)
                    if actions is not None:
                        return "reached", actions, horizon, None
                    longest.close()
                    longest = None
                    asked.append(horizon)
                    if horizon >= 2 * tried:
                        # Where games can go on for ever, no horizon is ever too long.
                        tried = horizon
                        shorter[horizon] = self._solver(horizon, ended=True)
                        if self._solve(shorter[horizon], PATIENCE):
                            actions = self._replayed(shorter[horizon].model(), horizon)
                            assert actions is not None
                            return "reached", actions, horizon, None
                    horizon += max(FIRST_HORIZON, horizon // 4)
                    continue
                for length in [length for length in asked if length >= SHORTER * horizon]:
                    if length not in shorter:
                        shorter[length] = self._solver(length, ended=True)
                    solver = shorter[length]
                    found = self._solve(solver, HOPE * patience)
                    if found:
                        actions = self._replayed(solver.model(), length)
                        assert actions is not None
                        return "reached", actions, length, None
                    if found is False:
                        asked.remove(length)
                        shorter.pop(length).close()
                patience *= 2
            return "undecided", (), horizon, None
        finally:
            for solver in (*shorter.values(), *([longest] if longest is not None else [])):
                solver.close()

    def _unroll(self, horizon: int) -> None:
        while len(self._unrolling.choices) < horizon:
            self._unrolling.step()
        self._marks[horizon] = (len(self._unrolling.cnf.clauses), self._unrolling.live)

    def _solver(self, horizon: int, ended: bool) -> Solver:
        """A solver for games of that length; with `ended`, for those that are over by then."""
        many, live = self._marks[horizon]
        clauses = self._unrolling.cnf.clauses[:many]
        if ended:
            clauses.append([-live])
        if self._engine == "z3":
            return Z3(clauses)
        return Cadical(clauses, traced=self._proof and not ended, hopeful=ended)

    def _solve(self, solver: Solver, patience: int) -> bool | None:
        before = solver.conflicts
        found = solver.solve(max(0, min(patience, self._budget - self.conflicts)))
        self.conflicts += solver.conflicts - before
        return found

    def _proof_of(self, solver: Solver, horizon: int) -> Proof | None:
        if not self._proof or not isinstance(solver, Cadical):
            return None
        clauses = self._unrolling.cnf.clauses
        name = digest(self._unrolling.cnf.variables, clauses)
        return Proof(horizon, name, packed(trimmed(solver.trace(), len(clauses))))

    # ---- games ---------------------------------------------------------------------------------
    def _replayed(self, model: Sequence[int], horizon: int) -> tuple[Instance, ...] | None:
        """The game that a model tells, as the interpreter plays it; None if it has not ended by then."""
        if _holds(model, self._marks[horizon][1]):
            return None
        state = self._state
        actions: list[Instance] = []
        for choice in self._unrolling.choices[:horizon]:
            if state.end:
                break
            move = next(option.move for option in choice.options if _holds(model, option.literal))
            actions.append(next(named for named, _ in move.members if self._is_legal(state, named)))
            state = self._interpreter.step(state, self._faces, actions[-1]).after
        if not state.end or self._interpreter.score(state, self._faces) < self._goal:
            raise AssertionError("the clauses and the interpreter disagree about an end")
        return tuple(actions)

    def _is_legal(self, state: Snapshot, named: Instance) -> bool:
        action = self._interpreter.system.action(named[0])
        return self._interpreter.failing_guard(state, self._faces, action, named[1]) is None


def _holds(model: Sequence[int], literal: int) -> bool:
    return (model[abs(literal) - 1] > 0) == (literal > 0)
