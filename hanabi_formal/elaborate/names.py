"""A name means one thing. What could mean two is an error that shows both places.

Everything declared is in one namespace. Values of enumerations are apart from it, for the type that is expected tells
them apart from each other; but where a bare name can stand, a value cannot be called like anything else that stands
there. Definitions, effects and types never stand bare. A name that is bound (a parameter, a name after `for`, a field
in a pattern) is called like nothing else that can be seen from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

from hanabi_formal.compose.merge import Merged
from hanabi_formal.diagnostics.diagnostic import Label, Sink
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.syntax import ast
from hanabi_formal.syntax.keywords import keywords

BUILTINS = ("size", "first", "last", "next", "index", "enabled", "ended")
DECLARED = {
    "param": "a parameter",
    "const": "a constant",
    "var": "a variable",
    "ruling": "a ruling",
    "def": "a definition",
    "effect": "an effect",
    "enum": "a type",
    "union": "a type",
    "sort": "a type",
    "range": "a type",
    "cards": "a type",
}
BARE = ("param", "const", "var", "ruling")
"""What is named without parentheses."""


@dataclass(frozen=True)
class Meaning:
    """What a name means, in words, and where that is said."""

    what: str
    span: Span


def check_names(merged: Merged, sink: Sink) -> None:
    """No two things that an expression can name share a name, and none is called like a word of the language."""
    declared = _declared(merged, sink)
    values = _values(merged, sink)
    for name, meaning in declared.items():
        if name in values and meaning.bare:
            _report(sink, name, meaning, values[name])
    seen: dict[str, Meaning] = {**values, **declared}
    told: set[tuple[str, Span]] = set()
    for item in merged.items.values():
        _check_bound(item, seen, told, sink)


def _report(sink: Sink, name: str, one: Meaning, other: Meaning) -> None:
    sink.report(
        "HRL221",
        f"`{name}` is {one.what}, and {other.what}",
        Label(one.span, f"here it is {one.what}"),
        Label(other.span, f"and here {other.what}"),
        help="give one of them another name",
    )


# ---- what is declared ----------------------------------------------------------------------------
@dataclass(frozen=True)
class _Declared(Meaning):
    """`bare`: it can stand without parentheses, where a value of an enumeration can stand too."""

    bare: bool


def _declared(merged: Merged, sink: Sink) -> dict[str, _Declared]:
    seen: dict[str, _Declared] = {}
    for ident, meaning in _declarations(merged):
        if not _is_a_word(ident, sink) and ident.text in seen:
            sink.report(
                "HRL205",
                f"`{ident}` is declared twice",
                Label(ident.span, "here"),
                Label(seen[ident.text].span, "and here"),
            )
        seen.setdefault(ident.text, meaning)
    return seen


def _is_a_word(ident: ast.Ident, sink: Sink) -> bool:
    found = ident.text in keywords().reserved or ident.text in BUILTINS
    if found:
        sink.report("HRL208", f"`{ident}` is a word of the language", ident.span, help="choose another name")
    return found


def _declarations(merged: Merged) -> Iterator[tuple[ast.Ident, _Declared]]:
    for (kind, _), item in merged.items.items():
        name = getattr(item, "name", None)
        if kind in DECLARED and isinstance(name, ast.Ident):
            what = "a record" if isinstance(item, ast.Var) and item.is_record else DECLARED[kind]
            yield name, _Declared(what, name.span, kind in BARE)
        match item:
            case ast.Union(constructors=constructors):
                for made in constructors:
                    # Told apart by its type from a value of an enumeration, as those are from each other.
                    yield made.name, _Declared(f"a value of `{item.name}`", made.name.span, bare=False)
            case ast.Cards(attributes=attributes):
                for attribute in attributes:
                    yield attribute.name, _Declared("an attribute", attribute.name.span, bare=True)


def _values(merged: Merged, sink: Sink) -> dict[str, Meaning]:
    """Values of all enumerations, with a name or without, and of rulings; each name once."""
    found: dict[str, Meaning] = {}
    for item in merged.items.values():
        for node in _walk(item):
            match node:
                case ast.Enum(name=name, values=values):
                    what = f"a value of `{name}`"
                case ast.Ruling(name=name, values=values):
                    what = f"an answer to `{name}`"
                case ast.EnumType(values=values):
                    what = f"one of `{{{', '.join(value.text for value in values)}}}`"
                case _:
                    continue
            own: dict[str, Span] = {}
            for value in values:
                if value.text in own:
                    sink.report(
                        "HRL205",
                        f"`{value}` is listed twice",
                        Label(value.span, "here"),
                        Label(own[value.text], "and here"),
                    )
                own[value.text] = value.span
                found.setdefault(value.text, Meaning(what, value.span))
    return found


# ---- what is bound -------------------------------------------------------------------------------
def _check_bound(item: ast.Item, seen: Mapping[str, Meaning], told: set[tuple[str, Span]], sink: Sink) -> None:
    """Bound names against what is declared, and against those bound around them; each such meaning is told of once."""
    todo: list[tuple[ast.Node, Mapping[str, Meaning]]] = [(item, seen)]
    while todo:
        node, around = todo.pop()
        for names, inside in _scopes(node):
            within = dict(around)
            for ident in names:
                _is_a_word(ident, sink)
                other = around.get(ident.text)
                if other is not None and (ident.text, other.span) not in told:
                    told.add((ident.text, other.span))
                    _report(sink, ident.text, Meaning("bound", ident.span), other)
                within[ident.text] = Meaning("bound around that", ident.span)
            todo += [(child, within) for child in inside]


def _scopes(node: ast.Node) -> Iterator[tuple[tuple[ast.Ident, ...], list[ast.Node]]]:
    """The names that a node binds, each time with the parts of it that can see them."""
    match node:
        case ast.Def(params=params) | ast.Effect(params=params) | ast.Action(params=params):
            yield tuple(param.name for param in params), list(_children(node))
        case ast.Property(params=params, told=None):
            yield tuple(param.name for param in params), list(_children(node))
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
            yield (), list(_children(node))


class _Over(ast.Node):
    """A `for` clause, if there is one, with what it is for."""

    over: ast.ForClause | None
    inside: tuple[ast.Node, ...]


def _walk(node: ast.Node) -> Iterator[ast.Node]:
    todo = [node]
    while todo:
        at = todo.pop()
        yield at
        todo += reversed(list(_children(at)))


def _children(node: ast.Node) -> Iterator[ast.Node]:
    for field in fields(node):
        yield from _nodes(getattr(node, field.name))


def _nodes(value: object) -> Iterator[ast.Node]:
    if isinstance(value, ast.Node):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _nodes(part)
