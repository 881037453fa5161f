"""Declared types, as the settings leave them, and the deck."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from hanabi_formal.diagnostics.diagnostic import Label, did_you_mean
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.elaborate.context import CONSTANT, NUMBER, POISON, UNKNOWN
from hanabi_formal.elaborate.symbols import TYPES, TypeItem
from hanabi_formal.kernel.expr import Expr, Lit
from hanabi_formal.kernel.system import Deck
from hanabi_formal.kernel.types import (
    BOOL,
    Constructor,
    EnumType,
    IntType,
    SortType,
    Type,
    UnionType,
    type_size,
    type_values,
)
from hanabi_formal.syntax import ast

if TYPE_CHECKING:
    from hanabi_formal.elaborate.resolver import Resolver

MAX_CARDS = 1000
MAX_TYPE = 4096


def type_of(resolver: Resolver, node: ast.Type) -> Type:
    match node:
        case ast.NamedType(name=name):
            return named_type(resolver, name, node.span)
        case ast.RangeType():
            return _range(resolver, node.low, node.high, node.span)
        case ast.EnumType(values=values):
            return EnumType("{" + ", ".join(v.text for v in values) + "}", tuple(v.text for v in values))


def named_type(resolver: Resolver, name: str, span: Span) -> Type:
    if name == "Bool":
        return BOOL
    item = resolver.symbols.type_item(name)
    if item is not None:
        return resolver.once(("type", name), span, UNKNOWN, lambda: _type(resolver, item))
    names = {*resolver.symbols.names(*TYPES), "Bool"}
    resolver.unknown(f"there is no type `{name}`", name, span, names, "types")
    return UNKNOWN


def _type(resolver: Resolver, item: TypeItem) -> Type:
    match item:
        case ast.Enum(name=name, values=values):
            return EnumType(name.text, _cut(resolver, name.text, tuple(value.text for value in values)))
        case ast.Range(name=name, low=low, high=high):
            found = _range(resolver, low, high, item.span)
            if isinstance(found, IntType) and name.text in resolver.settings.cuts:
                return _cut_range(resolver, name.text, found)
            return found
        case ast.Sort(name=name, size=size):
            many = resolver.constant(size, f"the size of `{name}`")
            if many is not None and not 1 <= many <= MAX_TYPE:
                resolver.sink.report("HRL305", f"`{name}` has {many:,} members; it needs 1 to {MAX_TYPE:,}", size.span)
                return UNKNOWN
            return UNKNOWN if many is None else SortType(name.text, many)
        case ast.Cards():
            deck = resolver.deck()
            return deck.sort if deck else UNKNOWN
        case ast.Union(name=name, constructors=constructors):
            made = []
            for constructor in constructors:
                fields = tuple(map(resolver.type, constructor.fields))
                if UNKNOWN in fields:
                    return UNKNOWN
                made.append(Constructor(constructor.name.text, fields))
            union = UnionType(name.text, tuple(made))
            if type_size(union) > MAX_TYPE:
                resolver.sink.report(
                    "HRL305", f"`{name}` has {type_size(union):,} values; {MAX_TYPE:,} is the most", name.span
                )
                return UNKNOWN
            return union


def _cut(resolver: Resolver, name: str, values: tuple[str, ...]) -> tuple[str, ...]:
    """The values left by `--set Name=…`, in their own order."""
    wanted = resolver.settings.cuts.get(name)
    if wanted is None:
        return values
    unknown = [word for word in wanted if word not in values]
    if unknown:
        resolver.sink.report(
            "HRL220",
            f"`{name}` has no value `{unknown[0]}` to keep",
            help=did_you_mean(unknown[0], values, f"values of `{name}`"),
        )
        return values
    return tuple(value for value in values if value in wanted)


def _cut_range(resolver: Resolver, name: str, whole: IntType) -> IntType:
    """A range keeps neighbouring numbers, or it would be none."""
    wanted = resolver.settings.cuts[name]
    kept = sorted({int(word) for word in wanted if word.removeprefix("-").isdecimal()})
    low, high = (kept[0], kept[-1]) if kept else (0, -1)
    if len(kept) < len(set(wanted)) or low < whole.low or high > whole.high or high - low + 1 != len(kept):
        shown = ",".join(wanted) if len(wanted) <= 6 else f"{wanted[0]}..{wanted[-1]}"
        resolver.sink.report(
            "HRL220",
            f"`{name}` is {whole.name} and cannot be cut down to `{shown}`",
            help=f"keep neighbouring numbers: `--set {name}={whole.low}..{whole.high}`",
        )
        return whole
    return IntType(low, high)


def _range(resolver: Resolver, low: ast.Expr, high: ast.Expr, span: Span) -> Type:
    a, b = resolver.constant(low, "a bound"), resolver.constant(high, "a bound")
    if a is None or b is None:
        return UNKNOWN
    if b < a:
        resolver.sink.report("HRL305", f"the range {a}..{b} is empty", span)
        return UNKNOWN
    return IntType(a, b)


def deck_of(resolver: Resolver) -> Deck | None:
    cards = list(resolver.symbols.all(ast.Cards))
    if not cards:
        return None
    first = cards[0]
    if len(cards) > 1:
        resolver.sink.report(
            "HRL205",
            "a game has one kind of cards",
            Label(cards[1].span, "a second one"),
            Label(first.span, "the first"),
        )
    return resolver.once(("deck", first.name.text), first.name.span, None, lambda: _deck(resolver, first))


def _deck(resolver: Resolver, item: ast.Cards) -> Deck | None:
    attributes = tuple((binder.name.text, resolver.type(binder.type)) for binder in item.attributes)
    if any(kind == UNKNOWN for _, kind in attributes):
        return None
    place = item.attributes[0].span.to(item.attributes[-1].span)
    if not resolver.not_too_many([kind for _, kind in attributes], MAX_TYPE, place, "the number of different cards is"):
        return None
    faces, copies = [], []
    for face in product(*(type_values(kind) for _, kind in attributes)):
        names: dict[str, Expr] = {name: Lit(v, kind) for (name, kind), v in zip(attributes, face, strict=True)}
        many = resolver.expressions.expr(item.copies, CONSTANT.bind(names), NUMBER)
        if many == POISON:
            return None
        if not isinstance(many, Lit) or many.value < 0:
            message = "the number of copies must be a constant, and not negative"
            resolver.sink.report("HRL306", message, item.copies.span)
            return None
        if many.value:
            faces.append(face)
            copies.append(many.value)
    if not 1 <= sum(copies) <= MAX_CARDS:
        resolver.sink.report(
            "HRL305", f"there are {sum(copies):,} cards; a deck has 1 to {MAX_CARDS:,}", item.copies.span
        )
        return None
    return Deck(SortType(item.name.text, sum(copies)), attributes, tuple(faces), tuple(copies))
