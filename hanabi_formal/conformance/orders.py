"""Games made to order: for every guard, end and case of the rules one that exercises it, and what is not reached.

They are found by playing the rules, which know nothing of any implementation: a guard is exercised where it allows
something, and where it alone forbids something.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from random import Random

from hanabi_formal.formats.faces import deck_of, sorted_faces
from hanabi_formal.kernel.build import FALSE
from hanabi_formal.kernel.canonical import rules_identity
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.prove.consistency.case_coverage import Twin
from hanabi_formal.prove.consistency.guard_coverage import guards_of
from hanabi_formal.prove.search.explorer import Explorer, Goal
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState

GAMES = 400
BUDGET = 600_000
SEED = 7
_KNOWN: dict[str, list[Order]] = {}


@dataclass(frozen=True)
class Order:
    """Something to be exercised, with the clauses behind it, and a game that does it, if one was found."""

    name: str
    clauses: tuple[str, ...]
    trace: Trace | None


def orders(system: System) -> list[Order]:
    """What a ruling or parameter turns off for good is not asked for. The same rules are searched once."""
    key = rules_identity(system)
    if key not in _KNOWN:
        _KNOWN[key] = _search(system)
    return _KNOWN[key]


def _search(system: System) -> list[Order]:
    twin = Twin(system)
    compiled = Compiled(twin.system)
    wanted: dict[str, tuple[tuple[str, ...], Goal]] = {}
    for case in twin.cases:
        wanted[f"case {case.name}"] = case.clauses, compiled.predicate(case.set)
    for asked in guards_of(system):
        if not asked.is_constant:
            wanted[f"guard {asked.name} allows"] = asked.guard.clauses, compiled.predicate(asked.allows)
            wanted[f"guard {asked.name} forbids"] = asked.guard.clauses, compiled.predicate(asked.forbids)
    for number, end in enumerate(system.ends, 1):
        if end.condition != FALSE:
            wanted[f"end {end.name}"] = end.clauses, partial(_ended, compiled, number)
    goals = {name: goal for name, (_, goal) in wanted.items()}
    found = dict(Explorer(compiled, SEED, BUDGET).explore(goals, GAMES).traces)
    left = {name: goal for name, goal in goals.items() if name not in found}
    if left and system.deck is not None:
        # What needs a good game is found most easily where the cards come in a good order.
        found |= Explorer(compiled, SEED, BUDGET).explore(left, GAMES, dealer=partial(_easy, system)).traces
    return [Order(name, clauses, found.get(name)) for name, (clauses, _) in wanted.items()]


def _easy(system: System, random: Random) -> list[int]:
    """Cards by rank, roughly."""
    faces = deck_of(system).faces
    return sorted(sorted_faces(system), key=lambda face: faces[face][-1] + 2 * random.random())


def _ended(compiled: Compiled, number: int, dealt: Dealt, state: PackedState) -> bool:
    return compiled.ended(state) == number
