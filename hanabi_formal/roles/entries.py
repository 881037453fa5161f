"""What a game's interface declares: letters, action patterns, the maximum, and which part plays which role.

The only module that looks into an interface. Everybody else asks here, so no other module knows what a variable, a
place or an attribute is called in the rule files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from hanabi_formal.kernel.expr import Expr, Get, Lit, vars_in
from hanabi_formal.kernel.system import ActionPattern, System
from hanabi_formal.kernel.types import UnionType, type_values

T = TypeVar("T")


# ---- entries one by one ----------------------------------------------------------------------------------
def _entry(entries: tuple[tuple[str, T], ...], key: str) -> T | None:
    return next((entry for known, entry in entries if known == key), None)


def action_patterns(system: System) -> dict[str, ActionPattern]:
    """The actions that the interface names, by their keys."""
    return dict(system.interface.actions) if system.interface is not None else {}


def letter_pairs(system: System) -> dict[str, str]:
    """From the name of a suit to its letter."""
    words = (_entry(system.interface.texts, "letters") or "").split() if system.interface is not None else []
    return dict(zip(words[::2], words[1::2], strict=False))


def _value(system: System, key: str) -> Expr | None:
    several = _entry(system.interface.values, key) if system.interface is not None else None
    return several[0] if several is not None and len(several) == 1 else None


def _names(system: System, key: str) -> tuple[str, ...]:
    return (_entry(system.interface.names, key) or ()) if system.interface is not None else ()


def maximum_of(system: System) -> int | None:
    """The most points there are."""
    found = _value(system, "maximum")
    return found.value if isinstance(found, Lit) else None


def within_reach(system: System) -> Expr | None:
    """The most points that a game can still have."""
    return _value(system, "within_reach")


def number_variable(system: System, role: str) -> str | None:
    """The variable that is declared to be `drawn`, `turn`, `blue`, `red` or the `countdown`."""
    match _value(system, role):
        case Get(var, (), _, False) if any(known.name == var for known in system.variables):
            return var
    return None


def _card_map(system: System, role: str, indices: int) -> str | None:
    """The variable with a value for each card, or for each card and something else."""
    cards = system.deck.sort if system.deck is not None else None
    found = {known.name: known.index for known in system.variables}
    match _names(system, role):
        case (name,) if name in found and len(found[name]) == indices and found[name][0] == cards:
            return name
    return None


# ---- all of a table together -----------------------------------------------------------------------------
@dataclass(frozen=True)
class Roles:
    """Names of attributes and variables, and the values of `place` for where cards lie; `hands` is by seat.

    A game without a `countdown` has no last round; one without `told` keeps no record of hints.
    """

    suit: str
    rank: str
    place: str
    pile: int
    hands: tuple[int, ...]
    fireworks: int
    discards: int
    drawn: str
    turn: str
    blue: str
    red: str
    countdown: str | None
    told: str | None


class Undeclared(Exception):
    """The interface does not declare what is needed; the message says what is missing."""


def roles_of(system: System) -> Roles:
    """All roles of a table, or `Undeclared`."""
    lookup = _Lookup(system)
    suit, rank = lookup.face()
    place = lookup.required("place", _card_map(system, "place", 1))
    turn = lookup.required("turn", number_variable(system, "turn"))
    found = Roles(
        suit,
        rank,
        place,
        lookup.lying("pile"),
        lookup.hands(turn),
        lookup.lying("fireworks"),
        lookup.lying("discards"),
        lookup.required("drawn", number_variable(system, "drawn")),
        turn,
        lookup.required("blue", number_variable(system, "blue")),
        lookup.required("red", number_variable(system, "red")),
        number_variable(system, "countdown"),
        _card_map(system, "told", 2),
    )
    if lookup.missing:
        listed = ", ".join(f"`{role}`" for role in lookup.missing)
        raise Undeclared(f"the interface of `{system.name}` declares no {listed}")
    return found


class _Lookup:
    """Looks roles up and notes those that are missing; what stands for one of them is never seen."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.missing: list[str] = []
        place = _card_map(system, "place", 1)
        kind = system.variable(place).type if place is not None else None
        self.kind = kind if isinstance(kind, UnionType) else None

    def required(self, role: str, name: str | None) -> str:
        if name is None:
            self.missing.append(role)
        return name or ""

    def face(self) -> tuple[str, str]:
        """The attributes of a card: its suit and its rank, in this order."""
        deck = self.system.deck
        match _names(self.system, "face"):
            case (suit, rank) if deck is not None and [name for name, _ in deck.attributes] == [suit, rank]:
                return suit, rank
        self.missing.append("face")
        return "", ""

    def lying(self, role: str) -> int:
        """A place for cards."""
        match _value(self.system, role):
            case Lit(value, kind) if self.kind is not None and kind == self.kind:
                return value
        self.missing.append(role)
        return 0

    def hands(self, turn: str) -> tuple[int, ...]:
        """The places that a constructor makes of those whose turn it can be."""
        if self.kind is not None and turn:
            seats = self.system.variable(turn).type
            for number, maker in enumerate(self.kind.constructors):
                if (maker.name,) == _names(self.system, "hand") and maker.fields == (seats,):
                    return tuple(self.kind.encode(number, (seat,)) for seat in type_values(seats))
        self.missing.append("hand")
        return ()


def has_last_round(system: System, roles: Roles) -> bool:
    """Is there an end for which the countdown alone decides?"""
    return any(vars_in(end.condition) == {roles.countdown} for end in system.ends)
