"""The same game with its rulings left open: each becomes a variable that no action changes.

One system then stands for all combinations of rulings, and a state says which of them it is played under.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hanabi_formal.compose.merge import Merged
from hanabi_formal.compose.settings import Settings
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.elaborate.elaborate import elaborate
from hanabi_formal.kernel.system import System
from hanabi_formal.syntax import ast

# What is asked about a game, and not needed to play it.
NOT_PLAYED = ("property", "bands", "view")


@dataclass(frozen=True)
class LeftOpen:
    """`rulings` are the open ones with their values, in the order in which the variables number them.

    What the game could not be played without, such as the size of a deck, stays as it was chosen.
    """

    system: System
    rulings: tuple[tuple[str, tuple[str, ...]], ...]


def left_open(merged: Merged, settings: Settings) -> LeftOpen:
    names = [name for kind, name in merged.items if kind == "ruling"]
    try:
        return _with(merged, settings, names)
    except Rejected:
        # A choice that is given is an error only if it is one for the rules as they stand.
        elaborate(merged, settings)
    kept: list[str] = []
    for name in names:
        try:
            _with(merged, settings, [*kept, name])
        except Rejected:
            continue
        kept.append(name)
    return _with(merged, settings, kept)


def _with(merged: Merged, settings: Settings, names: list[str]) -> LeftOpen:
    items = {key: item for key, item in merged.items.items() if key[0] not in NOT_PLAYED}
    opened = []
    for name in names:
        ruling = items.pop(("ruling", name))
        assert isinstance(ruling, ast.Ruling)
        span = ruling.name.span
        value = ast.Name(span, ruling.default.text)
        items["var", name] = ast.Var(span, "var", ruling.name, (), ast.EnumType(span, ruling.values), ())
        items["start", name] = ast.Start(span, (ast.Init(span, ruling.name, (), value, ()),))
        opened.append((name, tuple(value.text for value in ruling.values)))
    values = {name: value for name, value in merged.values.items() if name not in names}
    fixed = {name: value for name, value in settings.rulings.items() if name not in names}
    system = elaborate(replace(merged, items=items, values=values), replace(settings, rulings=fixed))
    return LeftOpen(system, tuple(opened))
