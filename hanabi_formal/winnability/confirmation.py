"""A line that wins, played by the engines that did not find it."""

from __future__ import annotations

from collections.abc import Sequence

from hanabi_formal import reference as ref
from hanabi_formal.api import Game
from hanabi_formal.engines.reference_words import UnknownRules, Words, known_rules
from hanabi_formal.engines.second_opinion import second_opinion
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.run.faults import IllegalAction

REFERENCE, INTERPRETER = "reference", "interpreter"


class Confirmation:
    """The reference engine plays what it knows the rules of, the interpreter the rest. They must agree with `run`."""

    def __init__(self, game: Game, players: int | None) -> None:
        self.game = game
        self.players = players
        system = game.system(players)
        self.interpreter = game.compiled(players).interpreter
        self.words = Words(system)
        self._said: dict[Instance, ref.Action] = {}
        try:
            self.rules: ref.Rules | None = known_rules(game, players)
        except UnknownRules:
            self.rules = None

    @property
    def by(self) -> str:
        return INTERPRETER if self.rules is None else REFERENCE

    def confirm(self, faces: Sequence[int], actions: Sequence[Instance], score: int) -> None:
        """That the game from the deal on is legal and ends with that score; `Disagreement` where it is not."""
        agrees = self._interpreted(faces, actions, score) if self.rules is None else self._told(faces, actions, score)
        if not agrees:
            second_opinion(self.game, self.players, faces, actions)
            raise AssertionError("an engine refuses a line that all of them play")

    def _told(self, faces: Sequence[int], actions: Sequence[Instance], score: int) -> bool:
        assert self.rules is not None
        said = self._said
        for action in actions:
            if action not in said:
                said[action] = self.words.action(action)
        try:
            table = ref.replay(ref.start(self.rules, self.words.deck(faces)), map(said.__getitem__, actions))
        except ref.IllegalAction:
            return False
        return table.end is not None and ref.score(table) == score

    def _interpreted(self, faces: Sequence[int], actions: Sequence[Instance], score: int) -> bool:
        dealt = tuple(faces)
        state = self.interpreter.start(dealt)
        try:
            for action in actions:
                state = self.interpreter.step(state, dealt, action).after
        except IllegalAction:
            return False
        return bool(state.end) and self.interpreter.score(state, dealt) == score
