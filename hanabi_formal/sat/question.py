"""Can this game still end with that score? For any System: a game that does, or a proof that none does.

    answer = ask(system, faces, Interpreter(system).start(faces), 25, budget=100_000)

A game is a sequence of legal steps, none of which is at fault. Rules that are at fault somewhere may make `ask` raise
`Fault`, where it would have to play such a step.

Longer and longer games are asked for, until one reaches the goal or none can go on: first horizons at which some game
is easily still on. At the first one where that is not easy, two questions are asked in turn, with more and more
patience: does a somewhat shorter game reach the goal, and is any game of this length left?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.run.interpret import Interpreter, Snapshot
from hanabi_formal.sat.encode.gates import digest
from hanabi_formal.sat.encode.unroll import Unrolling
from hanabi_formal.sat.formula import unrolling
from hanabi_formal.sat.solvers import Z3, Cadical, Solver, SolverName
from hanabi_formal.sat.trimming import Proof, packed, trimmed

Reachability = Literal["reached", "impossible", "undecided"]

FIRST_HORIZON = 8
LAST_HORIZON = 2000
PATIENCE = 2000
SHORTER = 0.6
HOPE = 4


@dataclass(frozen=True)
class ReachabilityAnswer:
    """`actions` (name and arguments, as the interpreter's `step` takes them) lead to the goal if it is reached.

    If it is impossible, every game misses the goal within `horizon` steps, and `proof` (if asked for) proves that the
    clauses of `cnf` for that horizon cannot be met. If it is undecided, the budget is spent.
    """

    verdict: Reachability
    actions: tuple[Instance, ...]
    horizon: int
    proof: Proof | None
    conflicts: int


def ask(
    system: System,
    faces: Sequence[int],
    state: Snapshot,
    goal: int,
    *,
    budget: int,
    engine: SolverName = "cadical",
    proof: bool = False,
) -> ReachabilityAnswer:
    """Is there a game from `state` that ends with a score of at least `goal`? `budget` is a number of conflicts.

    `faces` is the deal, as `run` takes it: a face number for each card. `state` is spelt out, as `Interpreter.start`,
    `Interpreter.step` and `Compiled.snapshot` give it. Only CaDiCaL gives proofs.
    """
    faces = tuple(faces)
    interpreter = Interpreter(system)
    if state.end and interpreter.score(state, faces) >= goal:
        return ReachabilityAnswer("reached", (), 0, None, 0)
    unrolled = unrolling(system, faces, state, goal)
    return IterativeDeepening(unrolled, interpreter, faces, state, goal, engine, proof, budget).run()


@dataclass
class IterativeDeepening:
    """Bounded model checking of one deal: `proof` asks for a proof where no game is left."""

    unrolling: Unrolling
    interpreter: Interpreter
    faces: tuple[int, ...]
    state: Snapshot
    goal: int
    engine: SolverName
    proof: bool
    budget: int
    conflicts: int = 0
    marks: dict[int, tuple[int, int]] = field(default_factory=dict)
    """For each horizon how many clauses there are, and the literal that the game is still on."""

    def run(self) -> ReachabilityAnswer:
        """The answer with as many conflicts as the budget has, at most."""
        horizon, patience = FIRST_HORIZON, PATIENCE
        shorter: dict[int, Solver] = {}
        asked: list[int] = []
        longest: Solver | None = None
        tried = 0
        try:
            while self.conflicts < self.budget and horizon <= LAST_HORIZON:
                if longest is None:
                    self._unroll(horizon)
                    longest = self._solver(horizon, ended=False)
                found = self._solve(longest, patience)
                if found is False:
                    return self._answer("impossible", horizon, proof=self._proof_of(longest, horizon))
                if found:
                    actions = self._replayed(longest.model(), horizon)
                    if actions is not None:
                        return self._answer("reached", horizon, actions)
                    longest.close()
                    longest = None
                    asked.append(horizon)
                    if horizon >= 2 * tried:
                        # Where games can go on for ever, no horizon is ever too long.
                        tried = horizon
                        shorter[horizon] = self._solver(horizon, ended=True)
                        if self._solve(shorter[horizon], PATIENCE):
                            return self._won(shorter[horizon], horizon)
                    horizon += max(FIRST_HORIZON, horizon // 4)
                    continue
                for length in [length for length in asked if length >= SHORTER * horizon]:
                    if length not in shorter:
                        shorter[length] = self._solver(length, ended=True)
                    found = self._solve(shorter[length], HOPE * patience)
                    if found:
                        return self._won(shorter[length], length)
                    if found is False:
                        asked.remove(length)
                        shorter.pop(length).close()
                patience *= 2
            return self._answer("undecided", horizon)
        finally:
            for solver in (*shorter.values(), *([longest] if longest is not None else [])):
                solver.close()

    def _answer(
        self, verdict: Reachability, horizon: int, actions: tuple[Instance, ...] = (), proof: Proof | None = None
    ) -> ReachabilityAnswer:
        return ReachabilityAnswer(verdict, actions, horizon, proof, self.conflicts)

    def _won(self, solver: Solver, horizon: int) -> ReachabilityAnswer:
        """A solver that was asked for games that are over has a model."""
        actions = self._replayed(solver.model(), horizon)
        assert actions is not None
        return self._answer("reached", horizon, actions)

    def _unroll(self, horizon: int) -> None:
        while len(self.unrolling.choices) < horizon:
            self.unrolling.step()
        self.marks[horizon] = (len(self.unrolling.cnf.clauses), self.unrolling.live)

    def _solver(self, horizon: int, ended: bool) -> Solver:
        """A solver for games of that length; with `ended`, for those that are over by then."""
        many, live = self.marks[horizon]
        clauses = self.unrolling.cnf.clauses[:many]
        if ended:
            clauses.append([-live])
        if self.engine == "z3":
            return Z3(clauses)
        return Cadical(clauses, traced=self.proof and not ended, hopeful=ended)

    def _solve(self, solver: Solver, patience: int) -> bool | None:
        before = solver.conflicts
        found = solver.solve(max(0, min(patience, self.budget - self.conflicts)))
        self.conflicts += solver.conflicts - before
        return found

    def _proof_of(self, solver: Solver, horizon: int) -> Proof | None:
        if not self.proof or not isinstance(solver, Cadical):
            return None
        clauses = self.unrolling.cnf.clauses
        name = digest(self.unrolling.cnf.variables, clauses)
        return Proof(horizon, name, packed(trimmed(solver.trace(), len(clauses))))

    # ---- games ---------------------------------------------------------------------------------
    def _replayed(self, model: Sequence[int], horizon: int) -> tuple[Instance, ...] | None:
        """The game that a model tells, as the interpreter plays it; None if it has not ended by then."""
        if _holds(model, self.marks[horizon][1]):
            return None
        state = self.state
        actions: list[Instance] = []
        for choice in self.unrolling.choices[:horizon]:
            if state.end:
                break
            move = next(option.move for option in choice.options if _holds(model, option.literal))
            actions.append(next(named for named, _ in move.members if self._is_legal(state, named)))
            state = self.interpreter.step(state, self.faces, actions[-1]).after
        if not state.end or self.interpreter.score(state, self.faces) < self.goal:
            raise AssertionError("the clauses and the interpreter disagree about an end")
        return tuple(actions)

    def _is_legal(self, state: Snapshot, named: Instance) -> bool:
        action = self.interpreter.system.action(named[0])
        return self.interpreter.failing_guard(state, self.faces, action, named[1]) is None


def _holds(model: Sequence[int], literal: int) -> bool:
    return (model[abs(literal) - 1] > 0) == (literal > 0)
