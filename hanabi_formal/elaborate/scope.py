"""Names of a merged game: types, constants, parameters and rulings, each worked out when first needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from itertools import product
from math import prod
from typing import TYPE_CHECKING, TypeVar

from hanabi_formal.compose.merge import Merged
from hanabi_formal.compose.settings import Settings
from hanabi_formal.diagnostics.diagnostic import Label, Sink, did_you_mean
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.elaborate.context import CONSTANT, POISON, UNKNOWN
from hanabi_formal.elaborate.names import BUILTINS, check_names
from hanabi_formal.kernel.build import folded, number
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
    from hanabi_formal.elaborate.expressions import Expressions

S = TypeVar("S")
T = TypeVar("T")
MAX_CARDS = 1000
MAX_TYPE = 4096
MAX_PLACES = 65_536
MAX_VALUES = 1_000_000
NUMBER = IntType(0, 0)


class Scope:
    """One namespace for everything declared; values of enumerations are found by the type expected of them."""

    def __init__(self, merged: Merged, settings: Settings, sink: Sink) -> None:
        self.merged = merged
        self.settings = settings
        self.sink = sink
        self.expressions: Expressions
        self._known: dict[tuple[str, str], object] = {}
        self._busy: list[tuple[str, str]] = []
        self._rings: set[frozenset[str]] = set()
        check_names(merged, sink)

    # ---- looking up --------------------------------------------------------------------------
    def item(self, kind: str, name: str) -> ast.Item | None:
        return self.merged.items.get((kind, name))

    def visible_names(self) -> set[str]:
        kinds = ("param", "const", "var", "ruling", "def", "effect", "enum", "union", "sort", "range", "cards")
        names = {name for kind, name in self.merged.items if kind in kinds} | set(BUILTINS)
        for item in self.merged.items.values():
            match item:
                case ast.Enum(values=values):
                    names |= {value.text for value in values}
                case ast.Union(constructors=constructors):
                    names |= {constructor.name.text for constructor in constructors}
                case ast.Cards(attributes=attributes):
                    names |= {attribute.name.text for attribute in attributes}
        return names

    def unknown(self, message: str, name: str, span: Span, names: Iterable[str], what: str = "") -> None:
        """Report a name that is not there, with the nearest that is, or with what took it away."""
        gone = [place for (_, known), place in self.merged.removed.items() if known == name]
        if gone:
            self.sink.report("HRL206", message, span, Label(gone[0].span, f"removed here, by `{gone[0].unit}`"))
        else:
            self.sink.report("HRL206", message, span, help=did_you_mean(name, names, what))

    def ring(self, names: Sequence[str], span: Span) -> None:
        """Report something that leads back to itself, once for each ring."""
        if frozenset(names) not in self._rings:
            self._rings.add(frozenset(names))
            self.sink.report("HRL210", f"`{names[0]}` is defined by itself: {' → '.join((*names, names[0]))}", span)

    @cached_property
    def values(self) -> dict[str, list[tuple[ast.Enum | ast.Union, int]]]:
        """Enumerations with a value of that name and unions with a constructor of it, each with its position."""
        found: dict[str, list[tuple[ast.Enum | ast.Union, int]]] = {}
        for item in self.merged.items.values():
            match item:
                case ast.Enum(values=values):
                    for position, value in enumerate(values):
                        found.setdefault(value.text, []).append((item, position))
                case ast.Union(constructors=constructors):
                    for position, constructor in enumerate(constructors):
                        found.setdefault(constructor.name.text, []).append((item, position))
        return found

    @cached_property
    def attributes(self) -> frozenset[str]:
        """What the cards are said to have, even if there is something wrong with them."""
        cards = (item for item in self.merged.of_kind("cards") if isinstance(item, ast.Cards))
        return frozenset(attribute.name.text for item in cards for attribute in item.attributes)

    def not_too_many(self, kinds: Sequence[Type], most: int, span: Span, what: str) -> bool:
        """Can all combinations of these types be counted through?"""
        many = prod(map(type_size, kinds))
        if many > most:
            shown = f"{many:,}" if many < 10**15 else "astronomic"
            self.sink.report("HRL305", f"{what} {shown}; the most is {most:,}", span)
        return many <= most

    def _once(self, key: tuple[str, str], span: Span, failed: S, work: Callable[[], T]) -> S | T:
        """Work out a name once; a name that needs itself is an error."""
        if key in self._known:
            return self._known[key]  # type: ignore[return-value]
        if key in self._busy:
            self.ring([name for _, name in self._busy[self._busy.index(key) :]], span)
            return failed
        self._busy.append(key)
        try:
            self._known[key] = work()
        finally:
            self._busy.pop()
        return self._known[key]  # type: ignore[return-value]

    # ---- constants ---------------------------------------------------------------------------
    def constant(self, expr: ast.Expr, what: str) -> int | None:
        """The value of a constant number, or None with a report."""
        found = folded(self.expressions.expr(expr, CONSTANT, NUMBER))
        if isinstance(found, Lit):
            return found.value if found.type != UNKNOWN else None
        self.sink.report("HRL306", f"{what} must be a constant", expr.span)
        return None

    def const(self, name: str) -> Expr:
        item = self.item("const", name)
        assert isinstance(item, ast.Const)

        def work() -> Expr:
            found = folded(self.expressions.expr(item.value, CONSTANT.called(f"the constant `{name}`"), None))
            if not isinstance(found, Lit):
                self.sink.report("HRL306", f"`{name}` must be a constant", item.value.span)
                return POISON
            return found

        return self._once(("const", name), item.name.span, POISON, work)

    def param(self, name: str) -> Expr:
        item = self.item("param", name)
        assert isinstance(item, ast.Param)
        return self._once(("param", name), item.name.span, POISON, lambda: self._param(item))

    def param_range(self, name: str) -> range:
        """What a parameter may be, here and now."""
        item = self.item("param", name)
        assert isinstance(item, ast.Param)
        changed = self.merged.types.get(name)
        declared = changed.type if changed else item.type
        if not isinstance(declared, ast.RangeType):
            self.sink.report("HRL300", f"the parameter `{name}` needs a range such as `1..8`", declared.span)
            return range(0)
        low, high = self.constant(declared.low, "a bound"), self.constant(declared.high, "a bound")
        if low is None or high is None:
            return range(0)
        if high < low:
            self.sink.report("HRL305", f"the range {low}..{high} is empty", declared.span)
        return range(low, high + 1)

    def _param(self, item: ast.Param) -> Expr:
        name = item.name.text
        allowed = self.param_range(name)
        if not allowed:
            return POISON
        if name in self.settings.params:
            value = self.settings.params[name]
            if value not in allowed:
                self.sink.report(
                    "HRL220",
                    f"`{name}` is {allowed.start} to {allowed[-1]}, not {value}",
                    Label(item.name.span, "declared here"),
                )
                return POISON
            return number(value)
        chosen = self.merged.values.get(name)
        default = chosen.value if chosen else item.default
        if default is None:
            return number(allowed.start)
        found = self.constant(default, f"the default of `{name}`")
        if found is not None and found not in allowed:
            self.sink.report("HRL307", f"`{name}` is {allowed.start} to {allowed[-1]}, not {found}", default.span)
        return POISON if found is None else number(found)

    def ruling_type(self, name: str) -> EnumType:
        item = self.item("ruling", name)
        assert isinstance(item, ast.Ruling)
        return EnumType(f"ruling {name}", tuple(value.text for value in item.values))

    def ruling(self, name: str) -> Lit:
        item = self.item("ruling", name)
        assert isinstance(item, ast.Ruling)
        kind = self.ruling_type(name)
        chosen, span = item.default.text, item.default.span
        if name in self.merged.values:
            value = self.merged.values[name].value
            span = value.span
            chosen = value.name if isinstance(value, ast.Name) else value.span.file.text[span.start : span.end]
        if name in self.settings.rulings:
            chosen, span = self.settings.rulings[name], item.name.span
        if chosen not in kind.labels:
            shown = " or ".join(f"`{label}`" for label in kind.labels)
            self.sink.report(
                "HRL220",
                f"the ruling `{name}` is {shown}, not `{chosen}`",
                span,
                help=did_you_mean(chosen, kind.labels),
            )
            return POISON
        return Lit(kind.labels.index(chosen), kind)

    # ---- types -------------------------------------------------------------------------------
    def type(self, node: ast.Type) -> Type:
        match node:
            case ast.NamedType(name=name):
                return self.named_type(name, node.span)
            case ast.RangeType():
                return self._range(node.low, node.high, node.span)
            case ast.EnumType(values=values):
                return EnumType("{" + ", ".join(v.text for v in values) + "}", tuple(v.text for v in values))

    def named_type(self, name: str, span: Span) -> Type:
        if name == "Bool":
            return BOOL
        for kind in ("enum", "range", "sort", "union", "cards"):
            item = self.item(kind, name)
            if item is not None:
                return self._once((kind, name), span, UNKNOWN, partial(self._type, item))
        names = {n for k, n in self.merged.items if k in ("enum", "range", "sort", "union", "cards")} | {"Bool"}
        self.unknown(f"there is no type `{name}`", name, span, names, "types")
        return UNKNOWN

    def _type(self, item: ast.Item) -> Type:
        match item:
            case ast.Enum(name=name, values=values):
                return EnumType(name.text, self._cut(name.text, tuple(value.text for value in values)))
            case ast.Range(name=name, low=low, high=high):
                found = self._range(low, high, item.span)
                if isinstance(found, IntType) and name.text in self.settings.cuts:
                    return self._cut_range(name.text, found)
                return found
            case ast.Sort(name=name, size=size):
                many = self.constant(size, f"the size of `{name}`")
                if many is not None and not 1 <= many <= MAX_TYPE:
                    self.sink.report("HRL305", f"`{name}` has {many:,} members; it needs 1 to {MAX_TYPE:,}", size.span)
                    return UNKNOWN
                return UNKNOWN if many is None else SortType(name.text, many)
            case ast.Cards():
                deck = self.deck()
                return deck.sort if deck else UNKNOWN
            case ast.Union(name=name, constructors=constructors):
                made = []
                for constructor in constructors:
                    fields = tuple(map(self.type, constructor.fields))
                    if UNKNOWN in fields:
                        return UNKNOWN
                    made.append(Constructor(constructor.name.text, fields))
                union = UnionType(name.text, tuple(made))
                if type_size(union) > MAX_TYPE:
                    self.sink.report(
                        "HRL305", f"`{name}` has {type_size(union):,} values; {MAX_TYPE:,} is the most", name.span
                    )
                    return UNKNOWN
                return union
        raise AssertionError(item)

    def _cut(self, name: str, values: tuple[str, ...]) -> tuple[str, ...]:
        """The values left by `--set Name=…`, in their own order."""
        wanted = self.settings.cuts.get(name)
        if wanted is None:
            return values
        unknown = [word for word in wanted if word not in values]
        if unknown:
            self.sink.report(
                "HRL220",
                f"`{name}` has no value `{unknown[0]}` to keep",
                help=did_you_mean(unknown[0], values, f"values of `{name}`"),
            )
            return values
        return tuple(value for value in values if value in wanted)

    def _cut_range(self, name: str, whole: IntType) -> IntType:
        """A range keeps neighbouring numbers, or it would be none."""
        wanted = self.settings.cuts[name]
        kept = sorted({int(word) for word in wanted if word.removeprefix("-").isdecimal()})
        low, high = (kept[0], kept[-1]) if kept else (0, -1)
        if len(kept) < len(set(wanted)) or low < whole.low or high > whole.high or high - low + 1 != len(kept):
            shown = ",".join(wanted) if len(wanted) <= 6 else f"{wanted[0]}..{wanted[-1]}"
            self.sink.report(
                "HRL220",
                f"`{name}` is {whole.name} and cannot be cut down to `{shown}`",
                help=f"keep neighbouring numbers: `--set {name}={whole.low}..{whole.high}`",
            )
            return whole
        return IntType(low, high)

    def _range(self, low: ast.Expr, high: ast.Expr, span: Span) -> Type:
        a, b = self.constant(low, "a bound"), self.constant(high, "a bound")
        if a is None or b is None:
            return UNKNOWN
        if b < a:
            self.sink.report("HRL305", f"the range {a}..{b} is empty", span)
            return UNKNOWN
        return IntType(a, b)

    def deck(self) -> Deck | None:
        cards = list(self.merged.of_kind("cards"))
        if not cards:
            return None
        first = cards[0]
        assert isinstance(first, ast.Cards)
        if len(cards) > 1:
            self.sink.report(
                "HRL205",
                "a game has one kind of cards",
                Label(cards[1].span, "a second one"),
                Label(first.span, "the first"),
            )
        return self._once(("deck", first.name.text), first.name.span, None, lambda: self._deck(first))

    def _deck(self, item: ast.Cards) -> Deck | None:
        attributes = tuple((binder.name.text, self.type(binder.type)) for binder in item.attributes)
        if any(kind == UNKNOWN for _, kind in attributes):
            return None
        place = item.attributes[0].span.to(item.attributes[-1].span)
        if not self.not_too_many([kind for _, kind in attributes], MAX_TYPE, place, "the number of different cards is"):
            return None
        faces, copies = [], []
        for face in product(*(type_values(kind) for _, kind in attributes)):
            names: dict[str, Expr] = {name: Lit(v, kind) for (name, kind), v in zip(attributes, face, strict=True)}
            many = self.expressions.expr(item.copies, CONSTANT.bind(names), NUMBER)
            if many == POISON:
                return None
            if not isinstance(many, Lit) or many.value < 0:
                message = "the number of copies must be a constant, and not negative"
                self.sink.report("HRL306", message, item.copies.span)
                return None
            if many.value:
                faces.append(face)
                copies.append(many.value)
        if not 1 <= sum(copies) <= MAX_CARDS:
            self.sink.report(
                "HRL305", f"there are {sum(copies):,} cards; a deck has 1 to {MAX_CARDS:,}", item.copies.span
            )
            return None
        return Deck(SortType(item.name.text, sum(copies)), attributes, tuple(faces), tuple(copies))
