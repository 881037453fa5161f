"""Expressions, blocks and whole systems rebuilt with something changed on the way.

`expr.rebuild` does it for one expression and `Rewriter` for all that has expressions; both go through every part, so a
pass says only what it changes. What a pass wants to know and not to change, `expr.walk`, `system.statements_in`,
`system.expressions_in` and `guarded` find.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple, Self, assert_never

from hanabi_formal.kernel.build import boolean, negate, simplify
from hanabi_formal.kernel.expr import Ended, Expr, Get, Local, rebuild
from hanabi_formal.kernel.system import (
    Action,
    ActionPattern,
    Assign,
    Block,
    Case,
    ForEach,
    Init,
    Interface,
    Property,
    Reveal,
    Statement,
    System,
    View,
)


# ---- expressions -----------------------------------------------------------------------------------
def fix_variable(expr: Expr, var: str, value: Expr) -> Expr:
    """A state variable without index replaced by an expression, simplified on the way up."""
    if isinstance(expr, Get) and expr.var == var and not expr.primed:
        return value
    return simplify(rebuild(expr, lambda child: fix_variable(child, var, value)))


def as_ended(expr: Expr, end: int | None) -> Expr:
    """As it reads in a game that has ended so; without an end, in one that goes on."""
    if isinstance(expr, Ended) and not expr.primed:
        return boolean(end is not None and expr.end in (-1, end))
    return simplify(rebuild(expr, lambda child: as_ended(child, end)))


def prime(expr: Expr, primed: bool = True) -> Expr:
    """The expression in the state after the step, or in the one before it; its indices too."""
    expr = rebuild(expr, lambda child: prime(child, primed))
    return replace(expr, primed=primed) if isinstance(expr, Get | Ended) else expr


# ---- blocks ----------------------------------------------------------------------------------------
class Guarded(NamedTuple):
    """A statement that has no block, the conditions under which it is read, and the names bound by loops around it."""

    statement: Assign | Reveal
    conditions: tuple[Expr, ...]
    binders: tuple[Local, ...]


def guarded(block: Block, conditions: tuple[Expr, ...] = (), binders: tuple[Local, ...] = ()) -> Iterator[Guarded]:
    """What a block writes and reveals, each with when it does: of a case, the branches before were not taken."""
    for statement in block:
        match statement:
            case Assign() | Reveal():
                yield Guarded(statement, conditions, binders)
            case Case(branches):
                before = conditions
                for branch in branches:
                    yield from guarded(branch.block, (*before, branch.condition), binders)
                    before = (*before, negate(branch.condition))
            case ForEach(own, where, inner):
                yield from guarded(inner, (*conditions, where), (*binders, *own))
            case _:
                assert_never(statement)


class Rewriter:
    """Goes through a block or a system and changes nothing; a subclass overrides what is to be changed.

    `expr` is given whole expressions. `bind` is given names that are bound: it says what becomes of them, and who goes
    on where they are. `statement` drops a statement by returning None.
    """

    def expr(self, expr: Expr) -> Expr:
        return expr

    def bind(self, *binders: Local) -> tuple[tuple[Local, ...], Self]:
        return binders, self

    def exprs(self, exprs: tuple[Expr, ...]) -> tuple[Expr, ...]:
        return tuple(map(self.expr, exprs))

    def block(self, block: Block) -> Block:
        found = map(self.statement, block)
        return tuple(statement for statement in found if statement is not None)

    def statement(self, statement: Statement) -> Statement | None:
        match statement:
            case Assign(index=index, value=value):
                return replace(statement, index=self.exprs(index), value=self.expr(value))
            case Case(branches):
                taken = (replace(b, condition=self.expr(b.condition), block=self.block(b.block)) for b in branches)
                return Case(tuple(taken))
            case ForEach():
                binders, inside = self.bind(*statement.binders)
                where, block = inside.expr(statement.where), inside.block(statement.block)
                return replace(statement, binders=binders, where=where, block=block)
            case Reveal(facts=facts, where=where, seat=seat, allowed=allowed):
                binders, inside = self.bind(*statement.binders)
                seats, within = inside.bind(*([] if seat is None else [seat]))
                return replace(
                    statement,
                    facts=inside.exprs(facts),
                    binders=binders,
                    where=inside.expr(where),
                    seat=seats[0] if seats else None,
                    allowed=within.expr(allowed),
                )
            case _:
                assert_never(statement)

    # ---- parts of a system -------------------------------------------------------------------------
    def system(self, system: System) -> System:
        ends = (replace(e, condition=self.expr(e.condition), score=self.expr(e.score)) for e in system.ends)
        bands = system.bands
        return replace(
            system,
            inits=tuple(map(self.init, system.inits)),
            actions=tuple(map(self.action, system.actions)),
            ends=tuple(ends),
            score=self.expr(system.score),
            bands=bands and replace(bands, condition=self.expr(bands.condition)),
            view=system.view and self.view(system.view),
            properties=tuple(map(self.property, system.properties)),
            interface=system.interface and self.interface(system.interface),
        )

    def init(self, init: Init) -> Init:
        binders, inside = self.bind(*init.binders)
        return replace(init, binders=binders, value=inside.expr(init.value))

    def action(self, action: Action) -> Action:
        params, inside = self.bind(*action.params)
        guards = tuple(replace(guard, condition=inside.expr(guard.condition)) for guard in action.guards)
        first, second = inside.block(action.first), inside.block(action.second)
        return replace(action, params=params, guards=guards, first=first, second=second)

    def view(self, view: View) -> View:
        (seat,), inside = self.bind(view.seat)
        sights = []
        for sight in view.sights:
            binders, within = inside.bind(*sight.binders)
            facts, where = within.exprs(sight.facts), within.expr(sight.where)
            sights.append(replace(sight, facts=facts, binders=binders, where=where))
        return replace(view, seat=seat, sights=tuple(sights))

    def property(self, prop: Property) -> Property:
        params, inside = self.bind(*prop.params)
        told = prop.told
        if told is not None:
            binders, inside = inside.bind(*told.binders)
            told = replace(told, binders=binders, where=inside.expr(told.where))
        return replace(prop, params=params, exprs=inside.exprs(prop.exprs), told=told)

    def interface(self, interface: Interface) -> Interface:
        patterns = (
            (key, ActionPattern(made.action, tuple(a if isinstance(a, str) else self.expr(a) for a in made.args)))
            for key, made in interface.actions
        )
        values = ((key, self.exprs(several)) for key, several in interface.values)
        return replace(interface, actions=tuple(patterns), values=tuple(values))
