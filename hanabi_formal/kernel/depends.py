"""What a question depends on. A variable that no wanted one needs is dropped, and its writes with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import assert_never

from hanabi_formal.kernel.expr import Attr, Expr, vars_in, walk
from hanabi_formal.kernel.rewrite import Rewriter, guarded
from hanabi_formal.kernel.system import Assign, Case, ForEach, Reveal, Statement, System, expressions_in


def needed_variables(system: System, questions: Iterable[Expr] = (), also: Iterable[str] = ()) -> frozenset[str]:
    """Those given, and what legality, ends, scores or the given expressions depend on, directly or through writes."""
    asked = [system.score, *questions]
    asked += [guard.condition for action in system.actions for guard in action.guards]
    asked += [expr for end in system.ends for expr in (end.condition, end.score)]
    asked += [system.bands.condition] if system.bands is not None else []
    wanted = {*also, *([system.actor] if system.actor is not None else []), *(v for e in asked for v in vars_in(e))}
    writes = [
        (statement.var, frozenset().union(*map(vars_in, (*conditions, *statement.index, statement.value))))
        for action in system.actions
        for block in (action.first, action.second)
        for statement, conditions, _ in guarded(block)
        if isinstance(statement, Assign)
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
    return replace(
        system,
        variables=tuple(var for var in system.variables if var.name in kept),
        inits=tuple(init for init in system.inits if init.var in kept),
        actions=tuple(map(_Restriction(kept, reveals).action, system.actions)),
        view=None,
        properties=properties,
    )


@dataclass(frozen=True)
class _Restriction(Rewriter):
    """Only what is written to some variables, and what is revealed of them if that is asked for."""

    kept: frozenset[str]
    reveals: bool

    def statement(self, statement: Statement) -> Statement | None:
        found = super().statement(statement)
        match found:
            case Assign(var=var):
                stays = var in self.kept
            case Case(branches):
                stays = any(branch.block for branch in branches)
            case ForEach(block=block):
                stays = bool(block)
            case Reveal():
                stays = self.reveals and all(vars_in(expr) <= self.kept for expr in expressions_in((found,)))
            case None:
                stays = False
            case _:
                assert_never(found)
        return found if stays else None


def start_depends_on_deal(system: System) -> bool:
    """Whether some variable may begin with another value in another deal."""
    return any(isinstance(node, Attr) for init in system.inits for node in walk(init.value))
