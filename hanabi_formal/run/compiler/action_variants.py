"""An action taken apart for compilation: one variant for each actor and each value of its small parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from hanabi_formal.kernel.build import FALSE, TRUE, conj, substitute
from hanabi_formal.kernel.expr import Expr, Get, Lit, Local, Op, Quant, locals_in
from hanabi_formal.kernel.rewrite import Rewriter, fix_variable
from hanabi_formal.kernel.system import Action, Block, Case, ForEach, Reveal, Statement, System, assignments
from hanabi_formal.kernel.types import type_size, type_values
from hanabi_formal.run.compiler.bounds import conjuncts, is_total
from hanabi_formal.run.compiler.layout import MANY, Layout, Planes
from hanabi_formal.run.compiler.lookup_tables import rigid_inputs

MOST_VARIANTS = 256


@dataclass(frozen=True)
class Domain:
    """A parameter that can only be one of the individuals with that value of a map."""

    var: str
    value: int
    param: Local


@dataclass(frozen=True)
class Variant:
    """`fixed` are the values of the unrolled parameters; what is left of the parameters is `domain` and `free`."""

    action: Action
    number: int
    actor: int | None
    fixed: tuple[int | None, ...]
    domain: Domain | None
    free: tuple[Local, ...]
    hoisted: Expr
    filters: tuple[Expr, ...]
    first: Block
    second: Block
    facts: tuple[Expr, ...]


def unrolled(action: Action) -> list[int]:
    """Positions of the parameters to unroll: small ones, as long as there are not too many variants."""
    chosen, many = [], 1
    for position, param in enumerate(action.params):
        size = type_size(param.type)
        if size <= MANY and many * size <= MOST_VARIANTS:
            chosen.append(position)
            many *= size
    return chosen


@dataclass(frozen=True)
class _Fixed(Rewriter):
    """Names, and maybe the actor, replaced. What cannot be taken is dropped, and so is what is revealed."""

    values: dict[str, Expr]
    actor: tuple[str, Expr] | None

    def expr(self, expr: Expr) -> Expr:
        found = substitute(expr, self.values)
        return fix_variable(found, *self.actor) if self.actor else found

    def statement(self, statement: Statement) -> Statement | None:
        match super().statement(statement):
            case Case(branches):
                possible = [branch for branch in branches if branch.condition != FALSE]
                certain = next((n for n, branch in enumerate(possible, 1) if branch.condition == TRUE), None)
                return Case(tuple(possible[:certain])) if possible else None
            case ForEach(where=where) if where == FALSE:
                return None
            case Reveal():
                return None
            case found:
                return found


def variants(system: System, layout: Layout) -> Iterator[Variant]:
    """All variants whose guards are not plainly false."""
    actors: list[int | None] = [None]
    if system.actor is not None:
        kind = system.variable(system.actor).type
        actors = list(type_values(kind)) if type_size(kind) <= MANY else [None]
    number = 0
    for action in system.actions:
        positions = unrolled(action)
        choices = list(product(*(type_values(action.params[p].type) for p in positions)))
        for values in choices:
            for actor in actors:
                found = _variant(system, layout, action, number, actor, dict(zip(positions, values, strict=True)))
                if found is not None:
                    yield found
            number += 1


def _variant(
    system: System, layout: Layout, action: Action, number: int, actor: int | None, fixed: dict[int, int]
) -> Variant | None:
    change: dict[str, Expr] = {action.params[p].name: Lit(value, action.params[p].type) for p, value in fixed.items()}
    pin: tuple[str, Expr] | None = None
    if actor is not None and system.actor is not None:
        pin = (system.actor, Lit(actor, system.variable(system.actor).type))
    pinned, fixing = _Fixed(change, pin), _Fixed(change, None)
    parts = conjuncts([conj(*(pinned.expr(guard.condition) for guard in action.guards))])
    if FALSE in parts:
        return None
    free = [param for position, param in enumerate(action.params) if position not in fixed]
    domain = _domain(layout, parts, free)
    if domain is not None:
        free.remove(domain.param)
        parts = [part for part in parts if not _is_domain_test(part, domain, layout)]
    names = {param.name for param in free} | ({domain.param.name} if domain else set())
    hoisted, filters = _sorted_out(parts, names, system)
    first = pinned.block(action.first)
    moved = any(assign.var == system.actor for assign in assignments(first))
    second = (fixing if moved else pinned).block(action.second)
    return Variant(
        action,
        number,
        actor,
        tuple(fixed.get(position) for position in range(len(action.params))),
        domain,
        tuple(free),
        conj(*hoisted),
        tuple(filters),
        first,
        second,
        tuple(parts),
    )


def _sorted_out(parts: list[Expr], names: set[str], system: System) -> tuple[list[Expr], list[Expr]]:
    """Conditions to ask once, and those to ask for each value of the names.

    What may be a fault is asked where it stands, after all that stand before it and only if they hold.
    """
    hoisted: list[Expr] = []
    filters: list[Expr] = []
    in_order = False
    for number, part in enumerate(parts):
        total = is_total(part, conjuncts(parts[:number]), system)
        if locals_in(part) & names or in_order or (filters and not total):
            filters.append(part)
            in_order = in_order or not total
        else:
            hoisted.append(part)
    return hoisted, filters


def _domain(layout: Layout, parts: list[Expr], free: list[Local]) -> Domain | None:
    """A condition that puts a parameter among the individuals with one value of a map, if it may come first."""
    for number, part in enumerate(parts):
        match part:
            case Op("eq", (Get(var, (Local() as param, *_)), Lit(value))):
                kept = layout.kept[var]
                if isinstance(kept, Planes) and param in free:
                    return Domain(var, value - kept.first, param)
        if not is_total(part, conjuncts(parts[:number]), layout.system):
            return None
    return None


def _is_domain_test(part: Expr, domain: Domain, layout: Layout) -> bool:
    return _domain(layout, [part], [domain.param]) == domain


@dataclass(frozen=True)
class Existence:
    """A filter of the form: some member of a value stands in a rigid relation to the free parameter."""

    var: str
    value: int
    relation: Expr
    binder: Local


def existence(expr: Expr, free: Local, layout: Layout) -> Existence | None:
    """`exists c: map[c] == v and ρ(c, free)` with ρ free of the state."""
    if not (isinstance(expr, Quant) and expr.kind == "exists" and len(expr.binders) == 1):
        return None
    binder = expr.binders[0]
    parts = expr.body.args if isinstance(expr.body, Op) and expr.body.op == "and" else (expr.body,)
    for part in parts:
        match part:
            case Op("eq", (Get(var, (at,)), Lit(value))) if at == binder:
                kept = layout.kept[var]
                rest = conj(*(other for other in parts if other is not part))
                inputs = rigid_inputs(rest, binder, layout.system.deck)
                if isinstance(kept, Planes) and inputs == (free,) and is_total(rest, [], layout.system):
                    return Existence(var, value - kept.first, rest, binder)
    return None
