"""Names of a merged game resolved: constants, parameters, rulings and types, each worked out when first needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import TYPE_CHECKING, TypeVar

from hanabi_formal.compose.merge import Merged
from hanabi_formal.compose.settings import Settings
from hanabi_formal.diagnostics.diagnostic import Label, Sink, did_you_mean
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.elaborate.context import CONSTANT, NUMBER, POISON, UNKNOWN
from hanabi_formal.elaborate.declared_types import deck_of, named_type, type_of
from hanabi_formal.elaborate.names import check_names
from hanabi_formal.elaborate.symbols import SymbolTable
from hanabi_formal.kernel.build import folded, number
from hanabi_formal.kernel.expr import Expr, Lit
from hanabi_formal.kernel.system import Deck
from hanabi_formal.kernel.types import EnumType, Type, type_size
from hanabi_formal.syntax import ast

if TYPE_CHECKING:
    from hanabi_formal.elaborate.expressions.expressions import Expressions

R = TypeVar("R")
S = TypeVar("S")
T = TypeVar("T", bound=ast.Item)
MAX_PLACES = 65_536
_CALLED: dict[type[ast.Node], str] = {ast.Var: "variable", ast.Action: "action", ast.Effect: "effect"}


class Resolver:
    """What the names of a game mean under the settings; everything wrong with them goes to the `sink`."""

    def __init__(self, merged: Merged, settings: Settings, sink: Sink) -> None:
        self.merged = merged
        self.settings = settings
        self.sink = sink
        self.symbols = SymbolTable(merged)
        self.expressions: Expressions
        self._known: dict[tuple[str, str], object] = {}
        self._busy: list[tuple[str, str]] = []
        self._rings: set[frozenset[str]] = set()
        check_names(merged, self.symbols, sink)

    # ---- looking up --------------------------------------------------------------------------
    def item(self, kind: type[T], name: str = "") -> T:
        """What is known to be declared."""
        found = self.symbols.find(kind, name)
        assert found is not None
        return found

    def wanted(self, kind: type[T], name: str, span: Span) -> T | None:
        """The variable, action or effect of that name; it is reported if there is none."""
        found = self.symbols.find(kind, name)
        if found is None:
            word = _CALLED[kind]
            self.unknown(f"there is no {word} `{name}`", name, span, self.symbols.names(kind), f"{word}s")
        return found

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

    def not_too_many(self, kinds: Sequence[Type], most: int, span: Span, what: str) -> bool:
        """Can all combinations of these types be counted through?"""
        many = prod(map(type_size, kinds))
        if many > most:
            shown = f"{many:,}" if many < 10**15 else "astronomic"
            self.sink.report("HRL305", f"{what} {shown}; the most is {most:,}", span)
        return many <= most

    def once(self, key: tuple[str, str], span: Span, failed: S, work: Callable[[], R]) -> S | R:
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
        item = self.item(ast.Const, name)

        def work() -> Expr:
            found = folded(self.expressions.expr(item.value, CONSTANT.called(f"the constant `{name}`"), None))
            if not isinstance(found, Lit):
                self.sink.report("HRL306", f"`{name}` must be a constant", item.value.span)
                return POISON
            return found

        return self.once(("const", name), item.name.span, POISON, work)

    def param(self, name: str) -> Expr:
        item = self.item(ast.Param, name)
        return self.once(("param", name), item.name.span, POISON, lambda: self._param(item))

    def param_range(self, name: str) -> range:
        """What a parameter may be, here and now."""
        item = self.item(ast.Param, name)
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
        item = self.item(ast.Ruling, name)
        return EnumType(f"ruling {name}", tuple(value.text for value in item.values))

    def ruling(self, name: str) -> Lit:
        item = self.item(ast.Ruling, name)
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
        return type_of(self, node)

    def param_type(self, param: ast.ParamDecl) -> Type:
        if param.type is None:
            self.sink.report(
                "HRL311", f"`{param.name}` needs a type", param.name.span, help=f"write `{param.name} : T`"
            )
            return UNKNOWN
        return self.type(param.type)

    def named_type(self, name: str, span: Span) -> Type:
        return named_type(self, name, span)

    def deck(self) -> Deck | None:
        return deck_of(self)
