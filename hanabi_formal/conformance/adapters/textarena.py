"""textarena: its environment `Hanabi`, driven by the texts it asks for. The deck is forced by a subclass."""

from __future__ import annotations

from typing import Any, ClassVar

from hanabi_formal.conformance.messages import ALWAYS, Reply, Seen, Setup, Unsupported

COPIES = (3, 2, 2, 2, 1)


class TextArena:
    name = "textarena"
    knows = ALWAYS

    def __init__(self) -> None:
        from textarena.envs.Hanabi import env

        self._module: Any = env
        self._suits = {suit.value: suit for suit in env.Suit}

        class Forced(env.HanabiEnv):  # type: ignore[misc]
            """Draws from the top of a given deck."""

            cards: ClassVar[list[Any]] = []

            def _generate_deck(self) -> list[Any]:
                return list(self.cards)

            @staticmethod
            def _draw_card(deck: list[Any]) -> Any:
                return deck.pop(0) if deck else None

        self._kind = Forced
        self._game: Any = None
        self._invalid: str | None = None

    def sit(self, setup: Setup) -> None:
        if {*setup.suits} != {*self._suits} or any(row != COPIES for row in setup.copies):
            raise Unsupported("it has the five suits and fifty cards of the box, and no others")
        if not 2 <= setup.players <= 5 or setup.hand_size != (5 if setup.players <= 3 else 4):
            raise Unsupported("it has 2 to 5 players with the hands of the base game")
        self._setup = setup
        self._names = dict(zip(setup.letters, setup.suits, strict=True))
        self._letters = dict(zip(setup.suits, setup.letters, strict=True))

    def start(self, deck: tuple[str, ...]) -> Reply:
        setup = self._setup
        self._kind.cards = [self._module.Card(self._suits[self._names[card[:-1]]], int(card[-1])) for card in deck]
        self._game = self._kind(info_tokens=setup.blue_tokens, fuse_tokens=setup.red_tokens)
        self._game.reset(num_players=setup.players, seed=0)
        self._over = False
        call_invalid = self._game.state.set_invalid_move

        def noticed(reason: str) -> Any:
            self._invalid = reason
            return call_invalid(reason)

        self._game.state.set_invalid_move = noticed
        return Reply(self._seen())

    def act(self, move: int) -> Reply:
        if self._over:
            return Reply(self._seen(), refused="the game is over")
        self._invalid = None
        self._over, _ = self._game.step(self._text(move))
        return Reply(self._seen(), refused=self._invalid)

    def _text(self, number: int) -> str:
        setup, move = self._setup, self._setup.moves[number]
        if move.kind in ("play", "discard"):
            return f"[{move.kind.capitalize()}] {move.slot}"
        about = f"color {setup.suits[move.suit]}" if move.suit is not None else f"rank {move.rank}"
        return f"[Reveal] player {move.to} card {self._touched(number)} {about}"

    def _touched(self, number: int) -> int:
        """It hints at one card; the first that the hint is true of, else the first."""
        move = self._setup.moves[number]
        hand = self._game.state.game_state["player_hands"][move.to]
        for slot, card in enumerate(hand):
            same = card is not None and (
                card.rank == move.rank if move.suit is None else card.suit.value == self._setup.suits[move.suit]
            )
            if same:
                return slot
        return 0

    def _seen(self) -> Seen:
        game = self._game.state.game_state
        hands = tuple(
            tuple(self._card(card) for card in game["player_hands"][seat] if card is not None)
            for seat in range(self._setup.players)
        )
        fireworks = tuple(game["fireworks"][self._suits[suit]] for suit in self._setup.suits)
        discards = tuple(sorted(self._card(card) for card in game["discard_pile"]))
        over = self._over
        return Seen(
            hands,
            fireworks,
            discards,
            len(game["deck"]),
            game["info_tokens"],
            self._setup.red_tokens - game["fuse_tokens"],
            None if over else self._game.state.current_player_id,
            self._game._calculate_scores(),
            over,
        )

    def _card(self, card: Any) -> str:
        return f"{self._letters[card.suit.value]}{card.rank}"

    def close(self) -> None:
        self._game = None
