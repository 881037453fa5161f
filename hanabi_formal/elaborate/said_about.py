"""What is said about a game: bands of its score, what a seat sees, and properties."""

from __future__ import annotations

from hanabi_formal.diagnostics.diagnostic import counted
from hanabi_formal.elaborate.context import CONSTANT, KNOWLEDGE, NUMBER, PROPERTY, RATING, STEP, Context
from hanabi_formal.elaborate.expressions.binders import bind_all, bind_over
from hanabi_formal.elaborate.expressions.expressions import Expressions
from hanabi_formal.elaborate.statements import clauses_of
from hanabi_formal.kernel.build import TRUE
from hanabi_formal.kernel.expr import Expr, Local
from hanabi_formal.kernel.system import Band, Bands, Property, PropertyKind, Sight, Telling, View
from hanabi_formal.syntax import ast


def bands_of(exprs: Expressions) -> Bands | None:
    item = exprs.symbols.find(ast.Bands)
    if item is None:
        return None
    condition = exprs.condition(item.condition, RATING) if item.condition is not None else TRUE
    bands = []
    for band in item.bands:
        low, high = exprs.resolver.constant(band.low, "a bound"), exprs.resolver.constant(band.high, "a bound")
        if low is None or high is None:
            continue
        if high < low:
            exprs.sink.report("HRL305", f"the band {low}..{high} is empty", band.span)
        bands.append(Band(low, high, band.text))
    return Bands(condition, tuple(bands), item.refuted_because, clauses_of(item.cites))


def view_of(exprs: Expressions) -> View | None:
    item = exprs.symbols.find(ast.View)
    if item is None:
        return None
    seats, context = bind_all(exprs, [item.seat], KNOWLEDGE)
    sights = []
    for sight in item.sights:
        binders, where, inner = bind_over(exprs, sight.over, context)
        facts = tuple(exprs.expr(fact, inner, None) for fact in sight.facts)
        sights.append(Sight(facts, binders, where, clauses_of(sight.cites) or clauses_of(item.cites)))
    return View(seats[0], tuple(sights), clauses_of(item.cites))


def properties_of(exprs: Expressions) -> tuple[Property, ...]:
    found = []
    for item in exprs.symbols.all(ast.Property):
        names: dict[str, Expr] = {}
        params: list[Local] = []
        for param in item.params:
            local = exprs.local(param.name.text, exprs.resolver.param_type(param))
            names[param.name.text] = local
            params.append(local)
        article = "an" if item.kind in ("invariant", "example", "unreachable") else "a"
        place = {"step": STEP, "example": CONSTANT}.get(item.kind, PROPERTY).bind(names)
        place = place.called(f"{article} `{item.kind}` property")
        told: Telling | None = None
        if item.told is not None:
            told, asked = _telling(exprs, item.told, item.exprs, params, place)
        elif item.kind == "terminates":
            asked = tuple(exprs.expr(expr, place, NUMBER) for expr in item.exprs)
        else:
            asked = tuple(exprs.condition(expr, place) for expr in item.exprs)
        found.append(
            Property(
                PropertyKind(item.kind),
                item.name.text,
                tuple(params),
                asked,
                item.refuted_because,
                told,
                clauses_of(item.cites),
                item.span,
            )
        )
    return tuple(found)


def _telling(
    exprs: Expressions, node: ast.Telling, facts: tuple[ast.Expr, ...], params: list[Local], place: Context
) -> tuple[Telling | None, tuple[Expr, ...]]:
    """What an action is said to reveal; the names in its brackets are typed like its parameters."""
    action = exprs.resolver.wanted(ast.Action, node.action.text, node.action.span)
    if action is None:
        return None, ()
    if len(node.args) != len(action.params):
        many = counted(len(action.params), "parameter")
        exprs.sink.report("HRL302", f"`{node.action}` has {many}, not {len(node.args)}", node.action.span)
        return None, ()
    names: dict[str, Expr] = {}
    for arg, param in zip(node.args, action.params, strict=True):
        local = exprs.local(arg.text, exprs.resolver.param_type(param))
        names[arg.text] = local
        params.append(local)
    binders, where, inner = bind_over(exprs, node.over, place.bind(names))
    asked = tuple(exprs.expr(fact, inner, None) for fact in facts)
    return Telling(node.action.text, binders, where), asked
