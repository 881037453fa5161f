"""How a state is kept: a flat tuple of integers and small tuples.

A map from many individuals (cards) to few values is one bit mask for each value; relations over them are packed into
one integer for each value but the first; everything else is kept as it is. For values that actions choose cards from,
the members are also kept as a sorted tuple, and for actions that need some member in a rigid relation to a parameter,
the numbers of those that have one ("options"). What changes together is kept together, in a tuple within the tuple, so
that a step takes apart only what it needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hanabi_formal.kernel.system import System, Variable
from hanabi_formal.kernel.types import SortType, Type, type_first, type_size
from hanabi_formal.run.compiler.code import PyName

MANY = 8
END = PyName("end")


def is_big(kind: Type) -> bool:
    return isinstance(kind, SortType) and kind.size > MANY


@dataclass(frozen=True)
class Scalar:
    """One slot with the value itself."""

    slot: PyName


@dataclass(frozen=True)
class Options:
    """A slot with the numbers of the actions that some member makes possible.

    The union over the members of the table `of_face` is the mask that the table `lists` is looked up with.
    """

    slot: PyName
    of_face: PyName
    lists: PyName


@dataclass(frozen=True)
class Planes:
    """A mask of the individuals for each value. `members[v]` is the slot of the sorted tuple, where it is kept."""

    number: int
    slots: tuple[PyName, ...]
    size: int
    first: int
    members: dict[int, PyName] = field(default_factory=dict)
    options: dict[int, list[Options]] = field(default_factory=dict)


@dataclass(frozen=True)
class Packed:
    """Masks over individuals for each value of the other indices, side by side in one integer a value.

    `slots[0]` is not kept: the first value is where no other plane has a bit.
    """

    slots: tuple[PyName, ...]
    size: int
    big: int
    first: int


@dataclass(frozen=True)
class Listed:
    """One slot with a tuple, in the order of the index."""

    slot: PyName


Kept = Scalar | Planes | Packed | Listed


Cell = PyName | tuple[PyName, ...]


@dataclass
class Layout:
    """Where each variable is kept. `cells` is the order of the state's tuple: slots, and groups of slots.

    The last cell says whether and how the game ended.
    """

    system: System
    kept: dict[str, Kept]
    cells: list[Cell] = field(default_factory=list)
    _where: dict[PyName, tuple[int, int | None]] = field(default_factory=dict)

    def planes(self, var: str) -> Planes:
        """Of a variable that is known to be kept as masks."""
        planes = self.kept[var]
        assert isinstance(planes, Planes)
        return planes

    def add_members(self, var: str, value: int) -> PyName:
        """Keep the members of a value as a tuple too."""
        planes = self.planes(var)
        return planes.members.setdefault(value, PyName("m", planes.number, value))

    def add_options(self, var: str, value: int, of_face: PyName, lists: PyName) -> PyName:
        """Keep the actions that the members of a value make possible."""
        planes = self.planes(var)
        self.add_members(var, value)
        known = planes.options.setdefault(value, [])
        for options in known:
            if (options.of_face, options.lists) == (of_face, lists):
                return options.slot
        known.append(Options(PyName("o", planes.number, value, len(known)), of_face, lists))
        return known[-1].slot

    def all_options(self) -> Iterator[tuple[Planes, int, Options]]:
        """Every kind of options kept, with the map and the value to whose members they belong."""
        for kept in self.kept.values():
            if isinstance(kept, Planes):
                for value, several in kept.options.items():
                    yield from ((kept, value, options) for options in several)

    def seal(self) -> None:
        """Fix the order of the slots, after everything was added."""
        for kept in self.kept.values():
            match kept:
                case Scalar(slot) | Listed(slot):
                    self.cells.append(slot)
                case Packed(slots=slots):
                    self.cells += slots[1:] if len(slots) <= 3 else [slots[1:]]
                case Planes(slots=slots):
                    for value, slot in enumerate(slots):
                        if value in kept.members:
                            more = (options.slot for options in kept.options.get(value, ()))
                            self.cells.append((slot, kept.members[value], *more))
                        else:
                            self.cells.append(slot)
        self.cells.append(END)
        for number, cell in enumerate(self.cells):
            if isinstance(cell, PyName):
                self._where[cell] = (number, None)
            else:
                self._where |= {slot: (number, place) for place, slot in enumerate(cell)}

    def where(self, slot: PyName) -> tuple[int, int | None]:
        """The cell of a slot, and its place there if the cell is a group."""
        return self._where[slot]

    def read(self, slot: PyName, state: tuple[Any, ...]) -> Any:
        cell, place = self._where[slot]
        return state[cell] if place is None else state[cell][place]

    def build(self, values: Mapping[PyName, Any]) -> tuple[Any, ...]:
        """A state from the values of all slots."""
        return tuple(
            values[cell] if isinstance(cell, PyName) else tuple(values[slot] for slot in cell) for cell in self.cells
        )

    @property
    def slots(self) -> list[PyName]:
        return list(self._where)


def plan(system: System) -> Layout:
    return Layout(system, {var.name: _keep(number, var) for number, var in enumerate(system.variables)})


def _keep(number: int, variable: Variable) -> Kept:
    if not variable.index:
        return Scalar(PyName("v", number))
    values = type_size(variable.type)
    big = [i for i, kind in enumerate(variable.index) if is_big(kind)]
    if big and values <= 64:
        size = type_size(variable.index[big[0]])
        first = type_first(variable.type)
        slots = tuple(PyName("v", number, value) for value in range(values))
        return Planes(number, slots, size, first) if len(variable.index) == 1 else Packed(slots, size, big[0], first)
    return Listed(PyName("v", number))


def bits_in(mask: int) -> Iterator[int]:
    """The numbers of the bits that are set."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def strides(kinds: Sequence[Type], skip: int | None = None) -> list[int]:
    """How far apart neighbours along each index are, the last index closest; the skipped one does not count."""
    found = [0] * len(kinds)
    step = 1
    for at in reversed(range(len(kinds))):
        if at != skip:
            found[at] = step
            step *= type_size(kinds[at])
    return found
