"""Games made to order: for every guard, end and case of the rules one that exercises it, and what is not reached.

They are found by playing the rules, which know nothing of any implementation: a guard is exercised where it allows
something, and where it alone forbids something.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from random import Random

from hanabi_formal.kernel.build import FALSE
from hanabi_formal.kernel.canonical import rules_identity
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import Deck, System
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.prove.consistency.case_coverage import Twin
from hanabi_formal.prove.consistency.guard_coverage import guards_of
from hanabi_formal.prove.search.explorer import Explorer, Goal
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState

GAMES = 400
BUDGET = 600_000
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
        _KNOWN[key] = _search(system, GAMES, BUDGET, 7)
    return _KNOWN[key]


def _search(system: System, games: int, budget: int, seed: int) -> list[Order]:
    twin = Twin(system)
    compiled = Compiled(twin.system)
    wanted: dict[str, tuple[tuple[str, ...], Expr]] = {}
    for case in twin.cases:
        wanted[f"case {case.name}"] = case.clauses, case.set
    for asked in guards_of(system):
        if not asked.is_constant:
            wanted[f"guard {asked.name} allows"] = asked.guard.clauses, asked.allows
            wanted[f"guard {asked.name} forbids"] = asked.guard.clauses, asked.forbids
    goals: dict[str, Goal] = {name: compiled.predicate(condition) for name, (_, condition) in wanted.items()}
    clauses = {name: cited for name, (cited, _) in wanted.items()}
    for number, end in enumerate(system.ends):
        if end.condition != FALSE:
            goals[f"end {end.name}"] = partial(_ended, compiled, number + 1)
            clauses[f"end {end.name}"] = end.clauses
    found = dict(Explorer(compiled, seed, budget).explore(goals, games).traces)
    left = {name: goal for name, goal in goals.items() if name not in found}
    if left and system.deck is not None:
        # What needs a good game is found most easily where the cards come in a good order.
        found |= Explorer(compiled, seed, budget).explore(left, games, dealer=partial(_easy, system.deck)).traces
    return [Order(name, clauses[name], found.get(name)) for name in goals]


def _easy(deck: Deck, random: Random) -> list[int]:
    """Cards by rank, roughly."""
    cards = [face for face, many in enumerate(deck.copies) for _ in range(many)]
    return sorted(cards, key=lambda face: deck.faces[face][-1] + 2 * random.random())


def _ended(compiled: Compiled, number: int, dealt: Dealt, state: PackedState) -> bool:
    return compiled.ended(state) == number


def longest_first(found: Iterable[Order]) -> list[Trace]:
    """The games of orders, each once, without those that begin others."""
    kept: list[Trace] = []
    for trace in sorted({order.trace for order in found if order.trace is not None}, key=lambda t: -len(t.actions)):
        if not any(trace.begins(other) for other in kept):
            kept.append(trace)
    return kept
