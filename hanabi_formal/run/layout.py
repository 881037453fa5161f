"""How a state is kept: a flat tuple of integers and small tuples.

A map from many individuals (cards) to few values is one bit mask for each value; relations over them are packed into
one integer for each value but the first; everything else is kept as it is. For values that actions choose cards from,
the members are also kept as a sorted tuple, and with it the union of what is rigidly true of them ("profiles").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hanabi_formal.kernel.system import System, Variable
from hanabi_formal.kernel.types import SortType, Type, type_first, type_size

MANY = 8


def is_big(kind: Type) -> bool:
    return isinstance(kind, SortType) and kind.size > MANY


@dataclass(frozen=True)
class Scalar:
    """One slot with the value itself."""

    slot: str


@dataclass(frozen=True)
class Planes:
    """A mask of the individuals for each value. `members[v]` is the slot of the sorted tuple, where it is kept."""

    slots: tuple[str, ...]
    size: int
    first: int
    members: dict[int, str] = field(default_factory=dict)
    profiles: dict[int, list[tuple[str, int]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Packed:
    """Masks over individuals for each value of the other indices, side by side in one integer a value.

    `slots[0]` is empty: the first value is where no other plane has a bit.
    """

    slots: tuple[str, ...]
    size: int
    big: int
    first: int


@dataclass(frozen=True)
class Listed:
    """One slot with a tuple, in the order of the index."""

    slot: str


Kept = Scalar | Planes | Packed | Listed


@dataclass
class Layout:
    """Where each variable is kept, and the order of the slots. The last slot says whether and how the game ended."""

    system: System
    kept: dict[str, Kept]
    slots: list[str]

    def add_members(self, var: str, value: int) -> str:
        """Keep the members of a value as a tuple too."""
        planes = self.kept[var]
        assert isinstance(planes, Planes)
        if value not in planes.members:
            name = f"m{len(self.slots)}"
            planes.members[value] = name
            self.slots.insert(len(self.slots) - 1, name)
        return planes.members[value]

    def add_profile(self, var: str, value: int, table: int) -> str:
        """Keep the union over the members of a rigid relation."""
        planes = self.kept[var]
        assert isinstance(planes, Planes)
        known = planes.profiles.setdefault(value, [])
        for slot, number in known:
            if number == table:
                return slot
        name = f"q{len(self.slots)}"
        known.append((name, table))
        self.slots.insert(len(self.slots) - 1, name)
        return name


def plan(system: System) -> Layout:
    kept: dict[str, Kept] = {}
    slots: list[str] = []
    for number, variable in enumerate(system.variables):
        made = _keep(f"s{number}", variable)
        kept[variable.name] = made
        match made:
            case Scalar(slot) | Listed(slot):
                slots.append(slot)
            case Planes(slots=own) | Packed(slots=own):
                slots += [slot for slot in own if slot]
    slots.append("end")
    return Layout(system, kept, slots)


def _keep(name: str, variable: Variable) -> Kept:
    if not variable.index:
        return Scalar(name)
    values = type_size(variable.type)
    big = [i for i, kind in enumerate(variable.index) if is_big(kind)]
    if big and values <= 64:
        size = type_size(variable.index[big[0]])
        first = type_first(variable.type)
        if len(variable.index) == 1:
            return Planes(tuple(f"{name}_{v}" for v in range(values)), size, first)
        return Packed(("", *(f"{name}_{v}" for v in range(1, values))), size, big[0], first)
    return Listed(name)


def strides(kinds: Sequence[Type], skip: int | None = None) -> list[int]:
    """How far apart neighbours along each index are, the last index closest; the skipped one does not count."""
    found = [0] * len(kinds)
    step = 1
    for at in reversed(range(len(kinds))):
        if at != skip:
            found[at] = step
            step *= type_size(kinds[at])
    return found
