"""Finite types. A value of any type is an integer: itself in a range, its number elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class BoolType:
    """False is 0, true is 1."""

    name = "Bool"


@dataclass(frozen=True)
class IntType:
    """Whole numbers `low..high`, both included."""

    low: int
    high: int

    @property
    def name(self) -> str:
        return f"{self.low}..{self.high}"


@dataclass(frozen=True)
class EnumType:
    """Named values, numbered in the order written."""

    name: str
    labels: tuple[str, ...]


@dataclass(frozen=True)
class SortType:
    """Individuals without names, numbered from 0."""

    name: str
    size: int


@dataclass(frozen=True)
class Constructor:
    name: str
    fields: tuple[Type, ...]

    @cached_property
    def size(self) -> int:
        size = 1
        for field in self.fields:
            size *= type_size(field)
        return size


@dataclass(frozen=True)
class UnionType:
    """Tagged unions, flattened: the values of the first constructor come first."""

    name: str
    constructors: tuple[Constructor, ...]

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        found, at = [], 0
        for constructor in self.constructors:
            found.append(at)
            at += constructor.size
        return tuple(found)

    def encode(self, constructor: int, fields: tuple[int, ...]) -> int:
        number = 0
        for field, value in zip(self.constructors[constructor].fields, fields, strict=True):
            number = number * type_size(field) + value - type_first(field)
        return self.offsets[constructor] + number

    def decode(self, value: int) -> tuple[int, tuple[int, ...]]:
        """Constructor and fields of a value."""
        which = max(i for i, offset in enumerate(self.offsets) if offset <= value)
        number = value - self.offsets[which]
        fields: list[int] = []
        for field in reversed(self.constructors[which].fields):
            number, digit = divmod(number, type_size(field))
            fields.append(digit + type_first(field))
        return which, tuple(reversed(fields))


Type = BoolType | IntType | EnumType | SortType | UnionType

BOOL = BoolType()


def type_size(kind: Type) -> int:
    match kind:
        case BoolType():
            return 2
        case IntType(low, high):
            return max(0, high - low + 1)
        case EnumType(_, labels):
            return len(labels)
        case SortType(_, size):
            return size
        case UnionType(_, constructors):
            return sum(constructor.size for constructor in constructors)


def type_first(kind: Type) -> int:
    return kind.low if isinstance(kind, IntType) else 0


def type_values(kind: Type) -> range:
    first = type_first(kind)
    return range(first, first + type_size(kind))


def comparable(left: Type, right: Type) -> bool:
    """Numbers compare with numbers; everything else only with its own type."""
    if isinstance(left, IntType) and isinstance(right, IntType):
        return True
    return left == right


def show_value(kind: Type, value: int) -> str:
    """A value as it is written in a rule file, individuals by number."""
    match kind:
        case BoolType():
            return "true" if value else "false"
        case IntType():
            return str(value)
        case EnumType(_, labels):
            return labels[value]
        case SortType():
            return str(value)
        case UnionType():
            which, fields = kind.decode(value)
            constructor = kind.constructors[which]
            if not fields:
                return constructor.name
            shown = ", ".join(show_value(t, v) for t, v in zip(constructor.fields, fields, strict=True))
            return f"{constructor.name}({shown})"
