"""Can this game still end with that score? For any System: a game that does, or a proof that none does.

    answer = ask(system, faces, Interpreter(system).start(faces), 25, budget=100_000)

A game is a sequence of legal steps, none of which is at fault. Rules that are at fault somewhere may make `ask` raise
`Fault`, where it would have to play such a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from hanabi_formal.kernel.system import System
from hanabi_formal.run.interpret import Interpreter, Snapshot
from hanabi_formal.sat.clauses import digest
from hanabi_formal.sat.moves import GroundGame, Named
from hanabi_formal.sat.nodes import deep
from hanabi_formal.sat.proofs import Proof
from hanabi_formal.sat.search import Search, Verdict
from hanabi_formal.sat.solvers import Engine
from hanabi_formal.sat.unroll import Unrolling


@dataclass(frozen=True)
class Formula:
    """Clauses that can be met exactly if some game has not ended after `horizon` steps, or has ended with the goal.

    They are the same in every process; `digest` tells formulas apart.
    """

    variables: int
    clauses: Sequence[Sequence[int]]
    horizon: int

    @cached_property
    def digest(self) -> str:
        return digest(self.variables, self.clauses)


@dataclass(frozen=True)
class Answer:
    """`actions` (name and arguments, as the interpreter's `step` takes them) lead to the goal if it is reached.

    If it is impossible, every game misses the goal within `horizon` steps, and `proof` (if asked for) proves that the
    clauses of `cnf` for that horizon cannot be met. If it is undecided, the budget is spent.
    """

    verdict: Verdict
    actions: tuple[Named, ...]
    horizon: int
    proof: Proof | None
    conflicts: int


def ask(
    system: System, faces: Sequence[int], state: Snapshot, goal: int, *, budget: int, engine: Engine = "cadical",
    proof: bool = False,
) -> Answer:  # fmt: skip
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


def cnf(system: System, faces: Sequence[int], state: Snapshot, goal: int, horizon: int) -> Formula:
    """The clauses for that many steps; of `faces` and `state` see `ask`."""
    found = unrolling(system, tuple(faces), state, goal)
    for _ in range(horizon):
        found.step()
    return Formula(found.cnf.variables, found.cnf.clauses, horizon)


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
