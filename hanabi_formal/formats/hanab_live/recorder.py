"""Actions as a game has them and as hanab.live records them, both ways."""

from __future__ import annotations

from hanabi_formal.formats.hanab_live.deck_numbers import suits_of
from hanabi_formal.formats.hanab_live.records import ActionKind, GameRecord, RecordedAction
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.roles.actions import DISCARD, HINT, PLAY, DeclaredActions, Rank

CARD_ACTIONS = {ActionKind.PLAY: PLAY, ActionKind.DISCARD: DISCARD}


class ActionRecorder:
    """For one game, by the actions that its interface names `play`, `discard` and `hint`.

    Suits are numbered as in `record`, if actions of one are to be read, else as they are when a game is written.
    """

    def __init__(self, system: System, record: GameRecord | None = None) -> None:
        self.actions = DeclaredActions(system)
        self._told: dict[int, tuple[ActionKind, int]] = {}
        if self.actions.subjects:
            indices = {suit: index for index, suit in suits_of(system, record).items()}
            for number, subject in self.actions.subjects.items():
                if isinstance(subject, Rank):
                    self._told[number] = ActionKind.VALUE_HINT, subject.rank
                elif subject.suit in indices:
                    self._told[number] = ActionKind.COLOUR_HINT, indices[subject.suit]
        self._about = {told: about for about, told in self._told.items()}

    @property
    def hint_name(self) -> str | None:
        """What hints are called in the rules."""
        pattern = self.actions.patterns.get(HINT)
        return None if pattern is None else pattern.action

    def recorded(self, action: Instance) -> RecordedAction | None:
        """An action of the game as hanab.live would record it; None if it has no such action."""
        for kind, role in CARD_ACTIONS.items():
            match self.actions.open_of(role, action):
                case [card]:
                    return RecordedAction(kind, card)
        match self.actions.open_of(HINT, action):
            case [seat, about] if about in self._told:
                kind, value = self._told[about]
                return RecordedAction(kind, seat, value)
        return None

    def played(self, action: RecordedAction) -> Instance | None:
        """A recorded action in the words of the game, legal or not; None if the game has no such action."""
        if action.kind in CARD_ACTIONS:
            return self.actions.made(CARD_ACTIONS[action.kind], action.target)
        about = self._about.get((action.kind, action.value))
        return None if about is None else self.actions.made(HINT, action.target, about)

    def play(self, card: int) -> Instance | None:
        """To play a card, in the words of the game; None if it has no such action. So for the others."""
        return self.actions.made(PLAY, card)

    def discard(self, card: int) -> Instance | None:
        """To discard a card."""
        return self.actions.made(DISCARD, card)

    def rank_hint(self, seat: int, rank: int) -> Instance | None:
        """To tell a seat about a rank."""
        return self.played(RecordedAction(ActionKind.VALUE_HINT, seat, rank))
