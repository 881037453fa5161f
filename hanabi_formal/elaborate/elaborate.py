"""A merged game and the user's settings to the kernel's System, or to everything that is wrong with it."""

from __future__ import annotations

from hanabi_formal.compose.merge import Merged
from hanabi_formal.compose.settings import Settings
from hanabi_formal.diagnostics.diagnostic import Sink, did_you_mean, refuse
from hanabi_formal.elaborate.context import Context, is_unknown
from hanabi_formal.elaborate.declared_types import MAX_TYPE
from hanabi_formal.elaborate.expressions.binders import bind_params
from hanabi_formal.elaborate.expressions.expressions import Expressions
from hanabi_formal.elaborate.given_settings import check_settings, settled
from hanabi_formal.elaborate.interface_entries import elaborate_interface
from hanabi_formal.elaborate.resolver import MAX_PLACES, Resolver
from hanabi_formal.elaborate.said_about import bands_of, properties_of, view_of
from hanabi_formal.elaborate.statements import Statements, clauses_of
from hanabi_formal.elaborate.transitions import actions_of, actor_of, ends_of, start_values
from hanabi_formal.kernel.build import number
from hanabi_formal.kernel.expr import Expr, Lit
from hanabi_formal.kernel.system import System, Variable
from hanabi_formal.kernel.types import Type, show_value
from hanabi_formal.syntax import ast

MAX_COUNTS = 64


def player_counts(merged: Merged) -> tuple[int, ...]:
    """The values of the parameter `players`; none if the game has no such parameter."""
    if ("param", "players") not in merged.items:
        return ()
    sink = Sink()
    resolver = Resolver(merged, Settings(), sink)
    Expressions(resolver)
    counts = resolver.param_range("players")
    if len(counts) > MAX_COUNTS:
        changed = merged.types.get("players") or merged.items["param", "players"]
        sink.report("HRL305", f"there are {len(counts):,} numbers of players; the most is {MAX_COUNTS}", changed.span)
    sink.stop_if_errors()
    return tuple(counts)


def elaborate(merged: Merged, settings: Settings) -> System:
    """One system; all errors of the stage are reported together."""
    sink = Sink()
    settings = settled(merged, settings)
    check_settings(merged, settings)
    resolver = Resolver(merged, settings, sink)
    sink.stop_if_errors()
    try:
        system = _system(Expressions(resolver))
    except RecursionError:
        span = merged.composition.game.name.span
        message = "with the definitions it uses, something in this game is nested too deeply"
        raise refuse("HRL105", message, span) from None
    sink.stop_if_errors()
    assert system is not None
    return system


def _system(exprs: Expressions) -> System | None:
    statements = Statements(exprs)
    types = _types(exprs)
    deck = exprs.resolver.deck()
    for item in exprs.symbols.all(ast.Const):
        exprs.resolver.const(item.name.text)
    parameters = _parameters(exprs)
    rulings = _rulings(exprs)
    variables = _variables(exprs)
    _definitions(exprs, statements)
    score = _score(exprs)
    actions = actions_of(exprs, statements)
    ends = ends_of(exprs)
    inits, actor, bands, view = start_values(exprs), actor_of(exprs), bands_of(exprs), view_of(exprs)
    properties, interface = properties_of(exprs), elaborate_interface(exprs)
    if exprs.sink.has_errors:
        return None
    return System(
        name=exprs.resolver.merged.composition.name,
        parameters=parameters,
        rulings=rulings,
        types=types,
        deck=deck,
        variables=variables,
        inits=inits,
        actor=actor,
        actions=actions,
        ends=ends,
        score=score,
        bands=bands,
        view=view,
        properties=properties,
        interface=interface,
    )


# ---- declarations --------------------------------------------------------------------------------
def _types(exprs: Expressions) -> tuple[Type, ...]:
    kinds = ("enum", "range", "sort", "cards", "union")
    names = [(n, item) for (k, n), item in exprs.resolver.merged.items.items() if k in kinds]
    return tuple(exprs.resolver.named_type(name, item.span) for name, item in names)


def _parameters(exprs: Expressions) -> tuple[tuple[str, int], ...]:
    found = []
    for item in exprs.symbols.all(ast.Param):
        value = exprs.resolver.param(item.name.text)
        if isinstance(value, Lit):
            found.append((item.name.text, value.value))
    return tuple(found)


def _rulings(exprs: Expressions) -> tuple[tuple[str, str], ...]:
    found = []
    for item in exprs.symbols.all(ast.Ruling):
        if item.default.text not in (value.text for value in item.values):
            values = [value.text for value in item.values]
            exprs.sink.report(
                "HRL220",
                f"the default `{item.default}` is not one of the values of `{item.name}`",
                item.default.span,
                help=did_you_mean(item.default.text, values, "values"),
            )
            continue
        value = exprs.resolver.ruling(item.name.text)
        if not is_unknown(value.type):
            found.append((item.name.text, show_value(value.type, value.value)))
    return tuple(found)


def _variables(exprs: Expressions) -> tuple[Variable, ...]:
    found = []
    for item in exprs.symbols.all(ast.Var):
        index = tuple(map(exprs.resolver.type, item.indices))
        kind = exprs.resolver.type(item.type)
        if item.indices:
            span = item.indices[0].span.to(item.indices[-1].span)
            exprs.resolver.not_too_many(index, MAX_PLACES, span, f"the number of places of `{item.name}` is")
            exprs.resolver.not_too_many([kind], MAX_TYPE, item.type.span, f"the number of values in `{item.name}` is")
        found.append(Variable(item.name.text, index, kind, item.is_record, clauses_of(item.cites), item.span))
    return tuple(found)


def _definitions(exprs: Expressions, statements: Statements) -> None:
    """Every definition and effect is checked once by itself, used or not."""
    for item in exprs.resolver.merged.items.values():
        if isinstance(item, ast.Def | ast.Effect):
            names = bind_params(exprs, item.params)
            if isinstance(item, ast.Effect):
                statements.part([(item.name.text, item.block, ())], names)
            elif not any(is_unknown(local.type) for local in names.values()):
                place = Context(f"`{item.name}`", names, records=True, primes=True, outcomes=True)
                exprs.expr(item.body, place, None)


def _score(exprs: Expressions) -> Expr:
    item = exprs.symbols.find(ast.Score)
    if item is None:
        span = exprs.resolver.merged.composition.game.name.span
        exprs.sink.report("HRL209", "the game has no score", span, help="write `score = …`, if only `score = 0`")
        return number(0)
    return exprs.outcomes.running_score(item.span)
