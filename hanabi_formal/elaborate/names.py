"""A name means one thing. What could mean two is an error that shows both places.

Everything declared is in one namespace. Values of enumerations are apart from it, for the type that is expected tells
them apart from each other; but where a bare name can stand, a value cannot be called like anything else that stands
there. Definitions, effects and types never stand bare. A name that is bound (a parameter, a name after `for`, a field
in a pattern) is called like nothing else that can be seen from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hanabi_formal.compose.merge import Merged
from hanabi_formal.compose.parts import repeated
from hanabi_formal.diagnostics.diagnostic import Label, Sink, both_places
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.elaborate.symbols import BUILTINS, Symbol, SymbolTable
from hanabi_formal.syntax import ast
from hanabi_formal.syntax.keywords import keywords


def check_names(merged: Merged, symbols: SymbolTable, sink: Sink) -> None:
    """No two things that an expression can name share a name, and none is called like a word of the language."""
    declared = _declared(symbols, sink)
    values = _values(merged, sink)
    for name, symbol in declared.items():
        if name in values and symbol.bare:
            _report(sink, symbol, values[name])
    seen = {**values, **declared}
    told: set[tuple[str, Span]] = set()
    for item in merged.items.values():
        _check_bound(item, seen, told, sink)


def _report(sink: Sink, one: Symbol, other: Symbol) -> None:
    sink.report(
        "HRL221",
        f"`{one.name}` is {one.what}, and {other.what}",
        Label(one.span, f"here it is {one.what}"),
        Label(other.span, f"and here {other.what}"),
        help="give one of them another name",
    )


# ---- what is declared ----------------------------------------------------------------------------
def _declared(symbols: SymbolTable, sink: Sink) -> dict[str, Symbol]:
    seen: dict[str, Symbol] = {}
    for symbol in symbols.declared:
        if not _is_a_word(symbol.name, symbol.span, sink) and symbol.name in seen:
            sink.report(
                "HRL205", f"`{symbol.name}` is declared twice", *both_places(symbol.span, seen[symbol.name].span)
            )
        seen.setdefault(symbol.name, symbol)
    return seen


def _is_a_word(name: str, span: Span, sink: Sink) -> bool:
    found = name in keywords().reserved or name in BUILTINS
    if found:
        sink.report("HRL208", f"`{name}` is a word of the language", span, help="choose another name")
    return found


def _values(merged: Merged, sink: Sink) -> dict[str, Symbol]:
    """Values of all enumerations, with a name or without, and of rulings; each name once."""
    found: dict[str, Symbol] = {}
    for item in merged.items.values():
        for node in item.walk():
            match node:
                case ast.Enum(name=name, values=values):
                    what = f"a value of `{name}`"
                case ast.Ruling(name=name, values=values):
                    what = f"an answer to `{name}`"
                case ast.EnumType(values=values):
                    what = f"one of `{{{', '.join(value.text for value in values)}}}`"
                case _:
                    continue
            for value, first in repeated(values):
                sink.report("HRL205", f"`{value}` is listed twice", *both_places(value.span, first.span))
            for value in values:
                found.setdefault(value.text, Symbol(value.text, what, value.span))
    return found


# ---- what is bound -------------------------------------------------------------------------------
def _check_bound(item: ast.Item, seen: Mapping[str, Symbol], told: set[tuple[str, Span]], sink: Sink) -> None:
    """Bound names against what is declared, and against those bound around them; each such symbol is told of once."""
    todo: list[tuple[ast.Node, Mapping[str, Symbol]]] = [(item, seen)]
    while todo:
        node, around = todo.pop()
        for names, inside in _scopes(node):
            within = dict(around)
            for ident in names:
                _is_a_word(ident.text, ident.span, sink)
                other = around.get(ident.text)
                if other is not None and (ident.text, other.span) not in told:
                    told.add((ident.text, other.span))
                    _report(sink, Symbol(ident.text, "bound", ident.span), other)
                within[ident.text] = Symbol(ident.text, "bound around that", ident.span)
            todo += [(child, within) for child in inside]


def _scopes(node: ast.Node) -> Iterator[tuple[tuple[ast.Ident, ...], list[ast.Node]]]:
    """The names that a node binds, each time with the parts of it that can see them."""
    match node:
        case ast.Def(params=params) | ast.Effect(params=params) | ast.Action(params=params):
            yield tuple(param.name for param in params), list(node.children)
        case ast.Property(params=params, told=None):
            yield tuple(param.name for param in params), list(node.children)
        case ast.Property(exprs=exprs, told=ast.Telling(args=args, over=over)):
            yield args, [_Over(node.span, over, exprs)]
        case ast.Quantified(body=body, over=over):
            yield (), [_Over(node.span, over, (body,))]
        case ast.Loop(block=block, over=over):
            yield (), [_Over(node.span, over, (block,))]
        case ast.Sight(facts=facts, over=over):
            yield (), [_Over(node.span, over, facts)]
        case ast.Reveal(facts=facts, over=over, audience=audience):
            yield (), [_Over(node.span, over, (*facts, _Over(node.span, audience, ())))]
        case _Over(over=over, inside=inside):
            binders = over.binders if over is not None else ()
            where = (over.where,) if over is not None and over.where is not None else ()
            yield tuple(binder.name for binder in binders), [*where, *inside]
        case ast.View(seat=seat, sights=sights):
            yield (seat.name,), list(sights)
        case ast.Init(index=index, value=value):
            yield index, [value]
        case ast.Arm(pattern=pattern, body=body):
            yield pattern.fields, [body]
        case _:
            yield (), list(node.children)


class _Over(ast.Node):
    """A `for` clause, if there is one, with what it is for."""

    over: ast.ForClause | None
    inside: tuple[ast.Node, ...]
