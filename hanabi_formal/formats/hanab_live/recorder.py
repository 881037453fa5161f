"""Actions as a game has them and as hanab.live records them, both ways."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hanabi_formal.formats.faces import deck_of
from hanabi_formal.formats.hanab_live.deck_numbers import suits_of
from hanabi_formal.formats.hanab_live.records import ActionKind, GameRecord, RecordedAction
from hanabi_formal.kernel.expr import Lit
from hanabi_formal.kernel.system import ActionPattern, System
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import UnionType, type_values


class ActionRecorder:
    """For one game, by the actions that its interface names `play`, `discard` and `hint`.

    Suits are numbered as in `record`, if actions of one are to be read, else as they are when a game is written.
    """

    def __init__(self, system: System, record: GameRecord | None = None) -> None:
        self._system = system
        self._patterns = dict(system.interface.actions) if system.interface is not None else {}
        self._told = dict(_hints(system, self._patterns["hint"], record)) if "hint" in self._patterns else {}
        self._about = {told: about for about, told in self._told.items()}

    @property
    def hint_name(self) -> str | None:
        """What hints are called in the rules."""
        return self._patterns["hint"].action if "hint" in self._patterns else None

    def recorded(self, action: Instance) -> RecordedAction | None:
        """An action of the game as hanab.live would record it; None if it has no such action."""
        for key, pattern in self._patterns.items():
            free = _free(pattern, action.args) if pattern.action == action.name else None
            match key, free:
                case "play", [card]:
                    return RecordedAction(ActionKind.PLAY, card)
                case "discard", [card]:
                    return RecordedAction(ActionKind.DISCARD, card)
                case "hint", [seat, about] if about in self._told:
                    kind, value = self._told[about]
                    return RecordedAction(kind, seat, value)
        return None

    def played(self, action: RecordedAction) -> Instance | None:
        """A recorded action in the words of the game, legal or not; None if the game has no such action."""
        match action.kind:
            case ActionKind.PLAY:
                return self.play(action.target)
            case ActionKind.DISCARD:
                return self.discard(action.target)
        about = self._about.get((action.kind, action.value))
        return None if about is None else self._filled("hint", action.target, about)

    def play(self, card: int) -> Instance | None:
        """To play a card, in the words of the game; None if it has no such action. So for the others."""
        return self._filled("play", card)

    def discard(self, card: int) -> Instance | None:
        return self._filled("discard", card)

    def rank_hint(self, seat: int, rank: int) -> Instance | None:
        return self.played(RecordedAction(ActionKind.VALUE_HINT, seat, rank))

    def _filled(self, key: str, *free: int) -> Instance | None:
        """An action with its open arguments given, if there are as many and each has that value."""
        pattern = self._patterns.get(key)
        if pattern is None or sum(isinstance(arg, str) for arg in pattern.args) != len(free):
            return None
        left = iter(free)
        args = tuple(arg.value if isinstance(arg, Lit) else next(left) for arg in pattern.args)
        params = self._system.action(pattern.action).params
        fits = all(value in type_values(param.type) for value, param in zip(args, params, strict=True))
        return Instance(pattern.action, args) if fits else None


def _free(pattern: ActionPattern, args: Sequence[int]) -> list[int] | None:
    """The arguments that a pattern leaves open, if the others are as it says."""
    pairs = list(zip(pattern.args, args, strict=True))
    if any(arg.value != value for arg, value in pairs if isinstance(arg, Lit)):
        return None
    return [value for arg, value in pairs if isinstance(arg, str)]


def _hints(
    system: System, pattern: ActionPattern, record: GameRecord | None
) -> Iterator[tuple[int, tuple[ActionKind, int]]]:
    """What a hint can be about, as the game numbers it and as hanab.live does: a suit or a rank."""
    params = system.action(pattern.action).params
    kinds = [param.type for param, arg in zip(params, pattern.args, strict=True) if isinstance(arg, str)]
    about = kinds[1] if len(kinds) == 2 else None
    if not isinstance(about, UnionType):
        return
    indices = {suit: index for index, suit in suits_of(system, record).items()}
    (_, suit_type), (_, rank_type) = deck_of(system).attributes
    for number in type_values(about):
        which, fields = about.decode(number)
        match about.constructors[which].fields:
            case (only,) if only == suit_type and fields[0] in indices:
                yield number, (ActionKind.COLOUR_HINT, indices[fields[0]])
            case (only,) if only == rank_type:
                yield number, (ActionKind.VALUE_HINT, fields[0])
