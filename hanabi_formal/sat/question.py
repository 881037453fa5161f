"""Can this game still end with that score? For any System: a game that does, or a proof that none does.

    answer = ask(system, faces, Interpreter(system).start(faces), 25, budget=100_000)

A game is a sequence of legal steps, none of which is at fault. Rules that are at fault somewhere may make `ask` raise
`Fault`, where it would have to play such a step.
"""

from __future__ import annotations

from collections.abc import Sequence

from hanabi_formal.kernel.system import System
from hanabi_formal.run.interpret import Interpreter, Snapshot
from hanabi_formal.sat.deepening import IterativeDeepening, ReachabilityAnswer
from hanabi_formal.sat.formula import unrolling
from hanabi_formal.sat.solvers import SolverName


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
