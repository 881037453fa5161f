"""What lies on the table in a state of the executor: hands, fireworks, discards, tokens, whose turn it is."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any

from hanabi_formal.kernel.types import type_values
from hanabi_formal.roles.entries import Roles, roles_of
from hanabi_formal.run.compiler.code import PyName
from hanabi_formal.run.compiler.compile import Compiled, PackedState
from hanabi_formal.run.compiler.layout import Layout, Listed, Planes, Scalar, bits_in

Cards = Callable[[PackedState], tuple[int, ...]]
Number = Callable[[PackedState], int]


class Table:
    """Reads states of one game, however the executor keeps them. `Undeclared` if its interface does not say how.

    Cards are numbers; a mask has a bit for each. `hands` holds a function for each seat, oldest card first.
    """

    def __init__(self, compiled: Compiled) -> None:
        self.roles: Roles = roles_of(compiled.system)
        layout, roles = compiled.layout, self.roles
        self.hands = tuple(_cards(layout, roles.place, value) for value in roles.hands)
        self.fireworks, self.discards = (_mask(layout, roles.place, v) for v in (roles.fireworks, roles.discards))
        self.drawn, self.turn, self.blue, self.red = (
            _number(layout, name) for name in (roles.drawn, roles.turn, roles.blue, roles.red)
        )
        self.countdown = _number(layout, roles.countdown) if roles.countdown is not None else None
        system = compiled.system
        self.most_blue, self.most_red = (
            type_values(system.variable(name).type)[-1] for name in (roles.blue, roles.red)
        )


def _number(layout: Layout, name: str) -> Number:
    kept = layout.kept[name]
    assert isinstance(kept, Scalar)
    return _slot(layout, kept.slot)


def _mask(layout: Layout, name: str, value: int) -> Number:
    """The individuals that have a value. Of few of them the executor keeps a list instead."""
    kept = layout.kept[name]
    if isinstance(kept, Planes):
        return _slot(layout, kept.slots[value - kept.first])
    assert isinstance(kept, Listed)
    values = _slot(layout, kept.slot)
    return lambda state: sum(1 << card for card, at in enumerate(values(state)) if at == value)


def _cards(layout: Layout, name: str, value: int) -> Cards:
    kept = layout.kept[name]
    if isinstance(kept, Planes) and value - kept.first in kept.members:
        return _slot(layout, kept.members[value - kept.first])
    mask = _mask(layout, name, value)
    return lambda state: tuple(bits_in(mask(state)))


def _slot(layout: Layout, slot: PyName) -> Callable[[PackedState], Any]:
    cell, place = layout.where(slot)
    return itemgetter(cell) if place is None else lambda state: state[cell][place]
