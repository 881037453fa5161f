"""The rules themselves as an implementation, to be compared with other rules."""

from __future__ import annotations

from dataclasses import replace

from hanabi_formal.api import Game
from hanabi_formal.compose.rewording import card_types
from hanabi_formal.conformance.menu import Menu
from hanabi_formal.conformance.messages import Reply, Setup, Unsupported
from hanabi_formal.conformance.rulings.infer import KNOWS
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.run.compiler.compile import Dealt, PackedState


class RulesEngine:
    """Plays a game's rules, for any number of players and any cut. It `lists` what is legal, or does not."""

    def __init__(self, game: Game, lists: bool = True, name: str = "rules") -> None:
        self.game = game
        self.lists = lists
        self.name = name
        self.knows = KNOWS
        self._menus: dict[tuple[object, ...], Menu] = {}

    def sit(self, setup: Setup) -> None:
        key = (setup.players, setup.suits, setup.ranks)
        if key not in self._menus:
            self._menus[key] = self._menu(setup)
        self.menu = self._menus[key]
        if self.menu.moves != setup.moves:
            raise Unsupported("it has other moves")

    def _menu(self, setup: Setup) -> Menu:
        """The whole deck if that is the one, else what is left of it."""
        whole = Menu(self.game, setup.players, self.knows)
        if (whole.setup.suits, whole.setup.ranks) == (setup.suits, setup.ranks):
            return whole
        values = {"Suit": setup.suits, "Rank": tuple(map(str, setup.ranks))}
        named = {
            own: values[word] for word, own in card_types(self.game.merged, "Card", *values).items() if word in values
        }
        cuts = {**self.game.settings.cuts, **named}
        try:
            return Menu(Game(self.game.merged, replace(self.game.settings, cuts=cuts)), setup.players, self.knows)
        except Rejected as problem:
            raise Unsupported(problem.diagnostics[0].message) from None

    def start(self, deck: tuple[str, ...]) -> Reply:
        self.names = deck
        self.dealt: Dealt = self.menu.deal(deck)
        self.state: PackedState = self.menu.compiled.start(self.dealt)
        return self.answer()

    def act(self, move: int) -> Reply:
        if move not in self.menu.legal(self.dealt, self.state):
            return self.answer()._replace(refused="it is not legal")
        self.state = self.menu.step(self.dealt, self.state, move)
        return self.answer()

    def answer(self) -> Reply:
        seen = self.menu.seen(self.dealt, self.names, self.state)
        if not self.lists:
            return Reply(seen)
        return Reply(seen, frozenset(self.menu.legal(self.dealt, self.state)))

    def close(self) -> None: ...
