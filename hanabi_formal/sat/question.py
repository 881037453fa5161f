"""Can this game still end with that score? For any System: a game that does, or a proof that none does.

    answer = ask(system, faces, Interpreter(system).start(faces), 25, budget=100_000)

A game is a sequence of legal steps, none of which is at fault. Rules that are at fault somewhere may make `ask` raise
`Fault`, where it would have to play such a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.run.interpret import Interpreter, Snapshot
from hanabi_formal.sat.deepening import Search, Verdict
from hanabi_formal.sat.formula import unrolling
from hanabi_formal.sat.solvers import Engine
from hanabi_formal.sat.trimming import Proof


@dataclass(frozen=True)
class Answer:
    """`actions` (name and arguments, as the interpreter's `step` takes them) lead to the goal if it is reached.

    If it is impossible, every game misses the goal within `horizon` steps, and `proof` (if asked for) proves that the
    clauses of `cnf` for that horizon cannot be met. If it is undecided, the budget is spent.
    """

    verdict: Verdict
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
    engine: Engine = "cadical",
    proof: bool = False,
) -> Answer:
    """Is there a game from `state` that ends with a score of at least `goal`? `budget` is a number of conflicts.

    `faces` is the deal, as `run` takes it: a face number for each card. `state` is spelt out, as `Interpreter.start`,
    `Interpreter.step` and `Compiled.snapshot` give it. Only CaDiCaL gives proofs.
    """
    faces = tuple(faces)
    interpreter = Interpreter(system)
    if state.end and interpreter.score(state, faces) >= goal:
        return Answer("reached", (), 0, None, 0)
    search = Search(unrolling(system, faces, state, goal), interpreter, faces, state, goal, engine, proof)
    verdict, actions, horizon, found = search.run(budget)
    return Answer(verdict, actions, horizon, found, search.conflicts)
