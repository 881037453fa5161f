"""The symbol table of a merged game: every declared name, what it is, where it is declared and by which item."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar, get_args

from hanabi_formal.compose.merge import Merged
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.syntax import ast

BUILTINS = ("size", "first", "last", "next", "index", "enabled", "ended")
TypeItem = ast.Enum | ast.Range | ast.Sort | ast.Union | ast.Cards
TYPES: tuple[type[ast.Node], ...] = get_args(TypeItem)
_WHAT: dict[type[ast.Node], str] = {
    ast.Param: "a parameter",
    ast.Const: "a constant",
    ast.Var: "a variable",
    ast.Ruling: "a ruling",
    ast.Def: "a definition",
    ast.Effect: "an effect",
    **dict.fromkeys(TYPES, "a type"),
}
BARE = (ast.Param, ast.Const, ast.Var, ast.Ruling)
"""What is named without parentheses."""
T = TypeVar("T", bound=ast.Item)


@dataclass(frozen=True)
class Symbol:
    """A name, what it is in the words of messages, and where that is said.

    `bare`: it can stand without parentheses, where a value of an enumeration can stand too. A value or a constructor is
    one `of` a type, and has its `position` there.
    """

    name: str
    what: str
    span: Span
    bare: bool = False
    of: ast.Enum | ast.Union | None = None
    position: int = 0


class SymbolTable:
    """`declared` share one namespace. Values of enumerations are apart: the type that is expected tells them apart."""

    def __init__(self, merged: Merged) -> None:
        self._items = merged.items
        self._names: dict[str, list[str]] = {}
        for kind, name in merged.items:
            self._names.setdefault(kind, []).append(name)
        self.declared: list[Symbol] = []
        self.values: dict[str, list[Symbol]] = {}
        """By name, values of enumerations that have a name and constructors of unions."""
        self.attributes: set[str] = set()
        """What the cards are said to have, even if there is something wrong with them."""
        for item in merged.items.values():
            self._enter(item)

    def _enter(self, item: ast.Item) -> None:
        name = getattr(item, "name", None)
        if type(item) in _WHAT and isinstance(name, ast.Ident):
            what = "a record" if isinstance(item, ast.Var) and item.is_record else _WHAT[type(item)]
            self.declared.append(Symbol(name.text, what, name.span, isinstance(item, BARE)))
        match item:
            case ast.Enum(name=name, values=values):
                for position, value in enumerate(values):
                    made = Symbol(value.text, f"a value of `{name}`", value.span, True, item, position)
                    self.values.setdefault(value.text, []).append(made)
            case ast.Union(name=name, constructors=constructors):
                for position, constructor in enumerate(constructors):
                    ident = constructor.name
                    # Told apart by its type from a value of an enumeration, as those are from each other.
                    made = Symbol(ident.text, f"a value of `{name}`", ident.span, False, item, position)
                    self.values.setdefault(ident.text, []).append(made)
                    self.declared.append(made)
            case ast.Cards(attributes=attributes):
                for attribute in attributes:
                    self.attributes.add(attribute.name.text)
                    self.declared.append(Symbol(attribute.name.text, "an attribute", attribute.name.span, True))

    def find(self, kind: type[T], name: str = "") -> T | None:
        """The item of that kind and name; there is one score, one view and the like, without a name."""
        found = self._items.get((kind.__name__.lower(), name))
        return found if isinstance(found, kind) else None

    def all(self, kind: type[T]) -> Iterator[T]:
        """The items of a kind, in the order in which they were declared."""
        for name in self.names(kind):
            found = self.find(kind, name)
            assert found is not None
            yield found

    def names(self, *kinds: type[ast.Node]) -> list[str]:
        return [name for kind in kinds for name in self._names.get(kind.__name__.lower(), ())]

    def type_item(self, name: str) -> TypeItem | None:
        """What declares the type of that name."""
        items = (self._items.get((kind.__name__.lower(), name)) for kind in TYPES)
        return next((item for item in items if isinstance(item, TypeItem)), None)

    @property
    def visible(self) -> set[str]:
        """All that an expression can name, but for what is bound around it."""
        return {symbol.name for symbol in self.declared} | self.values.keys() | set(BUILTINS)
