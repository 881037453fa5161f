"""A definition of a game by its name, for those who ask about the game from outside."""

from __future__ import annotations

from hanabi_formal.compose.merge import Merged
from hanabi_formal.compose.settings import Settings
from hanabi_formal.diagnostics.diagnostic import Sink
from hanabi_formal.elaborate.context import PROPERTY
from hanabi_formal.elaborate.expressions.expressions import Expressions
from hanabi_formal.elaborate.given_settings import settled
from hanabi_formal.elaborate.resolver import Resolver
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.syntax import ast


def named_definition(merged: Merged, settings: Settings, name: str) -> Expr | None:
    """What a definition without parameters says of a state; None if the game has none of that name."""
    item = merged.items.get(("def", name))
    if not isinstance(item, ast.Def) or item.params:
        return None
    sink = Sink()
    resolver = Resolver(merged, settled(merged, settings), sink)
    found = Expressions(resolver).expr(item.body, PROPERTY.called(f"`{name}`"), None)
    sink.stop_if_errors()
    return found
