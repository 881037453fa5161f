"""Actions of a game by what they are to Hanabi: play, discard, hint and some that few games have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hanabi_formal.kernel.expr import Lit
from hanabi_formal.kernel.system import Action, ActionPattern, System
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import BOOL, EnumType, Type, UnionType, show_value, type_values
from hanabi_formal.roles.entries import action_patterns

PLAY, DISCARD, HINT = "play", "discard", "hint"
ANNOUNCE, PASS, ABANDON, DECK_PLAY = "announce", "pass", "abandon", "deck_play"
BY_NAME = (ANNOUNCE, PASS, ABANDON, DECK_PLAY)
"""An action of such a name is that action, unless the interface declares another; a token that is due is taken."""


@dataclass(frozen=True)
class Colour:
    """A hint about a colour, and the suit that is called so, if there is one."""

    name: str
    suit: int | None


@dataclass(frozen=True)
class Rank:
    """A hint about a rank."""

    rank: int


Subject = Colour | Rank


class DeclaredActions:
    """Of one game: for each role the pattern of its action, some of whose arguments are open."""

    def __init__(self, system: System) -> None:
        self.system = system
        by_name = {action.name: _pattern(action) for action in system.actions if action.name in BY_NAME}
        self.patterns: dict[str, ActionPattern] = by_name | action_patterns(system)
        self._roles = {pattern.action: role for role, pattern in reversed(self.patterns.items())}
        self.subjects: dict[int, Subject] = dict(self._subjects())
        """What a hint can be about, by its number."""

    def role_of(self, action: Instance) -> str:
        """What the action is; its own name if it is nothing that is declared."""
        return self._roles.get(action.name, action.name)

    def made(self, role: str, *open_: int) -> Instance | None:
        """The action with its open arguments given; None if there is none, or none with such arguments."""
        pattern = self.patterns.get(role)
        if pattern is None or sum(isinstance(arg, str) for arg in pattern.args) != len(open_):
            return None
        left = iter(open_)
        args = tuple(arg.value if isinstance(arg, Lit) else next(left) for arg in pattern.args)
        params = self.system.action(pattern.action).params
        fits = all(value in type_values(param.type) for value, param in zip(args, params, strict=True))
        return Instance(pattern.action, args) if fits else None

    def open_of(self, role: str, action: Instance) -> list[int] | None:
        """What the pattern of a role leaves open, if this is that action and its other arguments are as it says."""
        pattern = self.patterns.get(role)
        if pattern is None or pattern.action != action.name:
            return None
        pairs = list(zip(pattern.args, action.args, strict=True))
        if any(arg.value != value for arg, value in pairs if isinstance(arg, Lit)):
            return None
        return [value for arg, value in pairs if isinstance(arg, str)]

    def _subjects(self) -> Iterator[tuple[int, Subject]]:
        pattern = self.patterns.get(HINT)
        deck = self.system.deck
        if pattern is None or deck is None or len(deck.attributes) != 2:
            return
        params = self.system.action(pattern.action).params
        kinds = [param.type for param, arg in zip(params, pattern.args, strict=True) if isinstance(arg, str)]
        if len(kinds) != 2:
            return
        (_, suits), (_, ranks) = deck.attributes
        suit_of = {show_value(suits, suit): suit for suit in type_values(suits)}
        for number, kind, value in _said(kinds[1]):
            if kind == ranks:
                yield number, Rank(value)
            elif isinstance(kind, EnumType):
                yield number, Colour(show_value(kind, value), suit_of.get(show_value(kind, value)))


def _said(kind: Type) -> Iterator[tuple[int, Type, int]]:
    """The values of a type, each with what it says if it is a value of another one in a constructor."""
    for number in type_values(kind):
        if not isinstance(kind, UnionType):
            yield number, kind, number
            continue
        which, fields = kind.decode(number)
        if len(fields) == 1:
            yield number, kind.constructors[which].fields[0], fields[0]


def _pattern(action: Action) -> ActionPattern:
    return ActionPattern(action.name, tuple(Lit(1, BOOL) if p.type == BOOL else p.name for p in action.params))
