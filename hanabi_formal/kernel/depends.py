"""What a question depends on. A variable that no wanted one needs is dropped, and its writes with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hanabi_formal.kernel.expr import Attr, Expr, vars_in, walk
from hanabi_formal.kernel.system import Assign, Block, Branch, Case, ForEach, Reveal, System


def _block_needs(block: Block, conditions: frozenset[str]) -> list[tuple[str, frozenset[str]]]:
    """For each write, its variable and the variables that decide what is written, and where."""
    found: list[tuple[str, frozenset[str]]] = []
    for statement in block:
        match statement:
            case Assign(var, index, value):
                needs = conditions.union(*(vars_in(arg) for arg in index), vars_in(value))
                found.append((var, needs))
            case Case(branches):
                seen = conditions
                for branch in branches:
                    seen |= vars_in(branch.condition)
                    found += _block_needs(branch.block, seen)
            case ForEach(_, where, inner):
                found += _block_needs(inner, conditions | vars_in(where))
            case Reveal():
                pass
    return found


def needed_variables(system: System, questions: Iterable[Expr] = (), also: Iterable[str] = ()) -> frozenset[str]:
    """Those given, and what legality, ends, scores or the given expressions depend on, directly or through writes."""
    wanted: set[str] = {*vars_in(system.score), *also}
    for action in system.actions:
        for guard in action.guards:
            wanted |= vars_in(guard.condition)
    for end in system.ends:
        wanted |= vars_in(end.condition) | vars_in(end.score)
    if system.bands is not None:
        wanted |= vars_in(system.bands.condition)
    for question in questions:
        wanted |= vars_in(question)
    if system.actor is not None:
        wanted.add(system.actor)
    writes = [
        pair
        for action in system.actions
        for block in (action.first, action.second)
        for pair in _block_needs(block, frozenset())
    ]
    while True:
        more = {name for var, needs in writes if var in wanted for name in needs} - wanted
        if not more:
            return frozenset(wanted)
        wanted |= more


def restrict(system: System, questions: Iterable[Expr] = (), also: Iterable[str] = (), reveals: bool = False) -> System:
    """The system with only the variables that the questions need; views and properties about others are gone.

    Variables that are wanted for themselves stay `also`; what is revealed stays only if that is asked for.
    """
    kept = needed_variables(system, questions, also)
    properties = tuple(p for p in system.properties if all(vars_in(expr) <= kept for expr in p.exprs))
    actions = tuple(
        replace(action, first=_keep(action.first, kept, reveals), second=_keep(action.second, kept, reveals))
        for action in system.actions
    )
    return replace(
        system,
        variables=tuple(var for var in system.variables if var.name in kept),
        inits=tuple(init for init in system.inits if init.var in kept),
        actions=actions,
        view=None,
        properties=properties,
    )


def _keep(block: Block, kept: frozenset[str], reveals: bool) -> Block:
    found: list[Assign | Case | ForEach | Reveal] = []
    for statement in block:
        match statement:
            case Assign(var):
                if var in kept:
                    found.append(statement)
            case Case(branches):
                pruned = tuple(
                    Branch(b.condition, _keep(b.block, kept, reveals), b.label, b.clauses, b.span) for b in branches
                )
                if any(branch.block for branch in pruned):
                    found.append(Case(pruned))
            case ForEach(binders, where, inner, clauses):
                body = _keep(inner, kept, reveals)
                if body:
                    found.append(ForEach(binders, where, body, clauses))
            case Reveal(facts, _, where, _, allowed):
                if reveals and all(vars_in(expr) <= kept for expr in (*facts, where, allowed)):
                    found.append(statement)
    return tuple(found)


def start_depends_on_deal(system: System) -> bool:
    """Whether some variable may begin with another value in another deal."""
    return any(isinstance(node, Attr) for init in system.inits for node in walk(init.value))
