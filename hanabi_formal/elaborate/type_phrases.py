"""Types in the words of messages."""

from __future__ import annotations

from hanabi_formal.kernel.types import BoolType, EnumType, IntType, SortType, Type


def describe(kind: Type) -> str:
    """A value of the type as messages call it."""
    match kind:
        case IntType():
            return "a number"
        case BoolType():
            return "a condition"
        case EnumType(name=name) if name.startswith("ruling "):
            return f"the ruling `{name.removeprefix('ruling ')}`"
        case EnumType(name=name, labels=labels) if name.startswith("{"):
            return f"one of {', '.join(f'`{label}`' for label in labels)}"
        case _:
            return f"{'an' if kind.name[0] in 'AEIOUaeiou' else 'a'} `{kind.name}`"


def conversion(left: Type, right: Type) -> str | None:
    """How to get from a number to an individual and back."""
    sorts = [kind.name for kind in (left, right) if isinstance(kind, SortType)]
    if not sorts or not any(isinstance(kind, IntType) for kind in (left, right)):
        return None
    return f"`{sorts[0]}(n)` is the one with the number n, `index(x)` the number of x"
