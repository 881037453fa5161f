"""Names in expressions: constants, variables, values of enumerations, and maps at an index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hanabi_formal.diagnostics.diagnostic import Label, counted, did_you_mean
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.elaborate.context import POISON, Context, is_unknown
from hanabi_formal.elaborate.symbols import BARE
from hanabi_formal.elaborate.type_phrases import describe
from hanabi_formal.kernel import build
from hanabi_formal.kernel.expr import Attr, Expr, Get, Lit
from hanabi_formal.kernel.types import EnumType, Type, UnionType
from hanabi_formal.syntax import ast

if TYPE_CHECKING:
    from hanabi_formal.elaborate.expressions.expressions import Expressions


def is_known(exprs: Expressions, name: str, context: Context) -> bool:
    """Is this the name of something other than a value of an enumeration?"""
    return name in context.names or any(exprs.symbols.find(kind, name) for kind in BARE)


def name_value(exprs: Expressions, node: ast.Name, context: Context, expected: Type | None) -> Expr:
    name = node.name
    if isinstance(expected, EnumType) and name in expected.labels and name not in context.names:
        return Lit(expected.labels.index(name), expected)
    if name in context.names:
        return context.names[name]
    if exprs.symbols.find(ast.Const, name):
        return exprs.resolver.const(name)
    if exprs.symbols.find(ast.Param, name):
        return exprs.resolver.param(name)
    if exprs.symbols.find(ast.Ruling, name):
        return exprs.resolver.ruling(name)
    if exprs.symbols.find(ast.Var, name):
        return variable(exprs, name, (), node.span, context, node.primed)
    return _enumerated(exprs, node, context, expected)


def _enumerated(exprs: Expressions, node: ast.Name, context: Context, expected: Type | None) -> Expr:
    """A value of an enumeration, or a constructor without fields."""
    name = node.name
    found: list[Expr] = []
    for symbol in exprs.symbols.values.get(name, ()):
        assert symbol.of is not None
        kind = exprs.resolver.named_type(symbol.of.name.text, node.span)
        if isinstance(symbol.of, ast.Union) and symbol.of.constructors[symbol.position].fields:
            exprs.sink.report("HRL302", f"`{name}` is used without its fields", node.span, help=f"write `{name}(…)`")
            return POISON
        match kind:
            case EnumType(labels=labels) if name in labels:
                found.append(Lit(labels.index(name), kind))
            case UnionType():
                found.append(build.inject(kind, symbol.position, ()))
            case _ if is_unknown(kind):
                return POISON
            case _:
                exprs.sink.report("HRL220", f"`{name}` was cut out of `{kind.name}` by the settings", node.span)
                return POISON
    fitting = [value for value in found if value.type == expected]
    if len(found) == 1 or len(fitting) == 1:
        return (fitting or found)[0]
    if found:
        kinds = " or ".join(describe(value.type) for value in found)
        exprs.sink.report(
            "HRL311", f"`{name}` could be {kinds}", node.span, help="compare it with something whose type is known"
        )
        return POISON
    _unknown(exprs, name, node.span, context, expected)
    return POISON


def _unknown(exprs: Expressions, name: str, span: Span, context: Context, expected: Type | None) -> None:
    if exprs.symbols.find(ast.Def, name) or exprs.symbols.find(ast.Effect, name):
        exprs.sink.report("HRL207", f"`{name}` is used without its parentheses", span, help=f"write `{name}(…)`")
        return
    if name in exprs.symbols.attributes:
        exprs.sink.report("HRL303", f"`{name}` needs an index", span, help=f"write `{name}[…]`")
        return
    if isinstance(expected, EnumType) and not is_unknown(expected):
        whose = f"of {describe(expected)}" if expected.name.startswith("ruling ") else f"of `{expected.name}`"
        near = did_you_mean(name, {*expected.labels, *context.names})
        listed = f"the values are {', '.join(f'`{label}`' for label in expected.labels[:12])}"
        exprs.sink.report("HRL206", f"`{name}` is no value {whose}", span, help=near or listed)
        return
    names = exprs.symbols.visible | set(context.names)
    exprs.resolver.unknown(f"there is no `{name}` here", name, span, names)


def variable(
    exprs: Expressions, name: str, index: tuple[Expr, ...], span: Span, context: Context, primed: bool
) -> Expr:
    """A state variable, if the place may read it."""
    item = exprs.resolver.item(ast.Var, name)
    if not context.state:
        exprs.sink.report(
            "HRL306", f"`{name}` changes during a game; {context.where} cannot depend on it", span, *exprs.trail()
        )
        return POISON
    if item.is_record and not context.records:
        exprs.sink.report(
            "HRL401",
            f"`{name}` is a record, and {context.where} reads it",
            Label(span, "read here"),
            *exprs.trail(),
            Label(item.name.span, "declared as a record here"),
            help="a record is what players know: only views and properties may read it",
        )
        return POISON
    if primed and not context.primes:
        no_step(exprs, f"{name}'", span, context)
        return POISON
    if not fits_indices(exprs, name, len(item.indices), len(index), span):
        return POISON
    kind = exprs.resolver.type(item.type)
    return POISON if is_unknown(kind) else Get(name, index, kind, primed)


def no_step(exprs: Expressions, shown: str, span: Span, context: Context) -> None:
    exprs.sink.report("HRL310", f"{context.where} cannot see `{shown}`, the value after the step", span, *exprs.trail())


def fits_indices(exprs: Expressions, name: str, wanted: int, given: int, span: Span) -> bool:
    """Is it given as many indices as it was declared with?"""
    if wanted == given:
        return True
    if not wanted:
        exprs.sink.report("HRL303", f"`{name}` is no map, it takes no index", span)
    elif given:
        exprs.sink.report("HRL303", f"`{name}` takes {counted(wanted, 'index')}, not {given}", span)
    else:
        exprs.sink.report(
            "HRL303",
            f"`{name}` needs {'an index' if wanted == 1 else counted(wanted, 'index')}",
            span,
            help=f"write `{name}[{', '.join('…' * wanted)}]`",
        )
    return False


def read(exprs: Expressions, node: ast.Read, context: Context) -> Expr:
    name = node.name.text
    deck = exprs.resolver.deck()
    if name in exprs.symbols.attributes:
        if not fits_indices(exprs, name, 1, len(node.index), node.span) or deck is None:
            return POISON
        card = exprs.expr(node.index[0], context, deck.sort)
        if node.primed:
            exprs.sink.report("HRL310", f"`{name}` never changes, so `{name}'` says nothing new", node.span)
        kind = deck.attributes[deck.attribute(name)][1]
        return POISON if is_unknown(card.type) else Attr(name, card, kind)
    item = exprs.symbols.find(ast.Var, name)
    if item is None:
        maps = {var.name.text for var in exprs.symbols.all(ast.Var) if var.indices} | exprs.symbols.attributes
        exprs.resolver.unknown(f"there is no map `{name}`", name, node.name.span, maps, "maps")
        return POISON
    kinds = [exprs.resolver.type(kind) for kind in item.indices]
    if not fits_indices(exprs, name, len(kinds), len(node.index), node.span):
        return POISON
    what = f"the index of `{name}`"
    index = tuple(exprs.bounded(arg, context, kind, what) for arg, kind in zip(node.index, kinds, strict=True))
    if any(is_unknown(arg.type) for arg in index):
        return POISON
    return variable(exprs, name, index, node.span, context, node.primed)
