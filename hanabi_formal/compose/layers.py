"""The layers of a composition: the changes of each unit, and those that units make to their combinations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hanabi_formal.compose.units import Composition
from hanabi_formal.syntax import ast


@dataclass(frozen=True)
class Layer:
    """Changes with a name for messages and the names of the units they may build upon."""

    name: str
    changes: tuple[ast.Change, ...]
    knows: frozenset[str]


def layers_of(composition: Composition) -> Iterator[Layer]:
    """The changes of every unit, then those that units make to their combinations."""
    for unit in composition.order:
        if isinstance(unit.tree, ast.Game):
            continue
        known = composition.ancestors(unit.name)
        yield Layer(unit.name, unit.tree.changes, known)
    present = {unit.name for unit in composition.order}
    for unit in composition.order:
        if isinstance(unit.tree, ast.Game):
            continue
        for block in unit.tree.withs:
            names = sorted({ident.text for ident in block.variants})
            if present.issuperset(names):
                known = frozenset().union(*(composition.ancestors(n) for n in (unit.name, *names)))
                yield Layer(f"{unit.name} with {', '.join(names)}", block.changes, known)
