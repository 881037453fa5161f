"""jaxmarl: its environment `hanabi`. A step checks nothing; what is legal is what `get_legal_moves` says."""

from __future__ import annotations

from typing import Any

from hanabi_formal.conformance.adapters.learning_moves import Numbering, card_pairs, sizes
from hanabi_formal.conformance.messages import ALWAYS, Reply, Seen, Setup, Unsupported

MOST_SUITS = 6
NAMES = ("num_agents", "num_colors", "num_ranks", "hand_size", "max_info_tokens", "max_life_tokens")


class JaxMarl:
    name = "jaxmarl"
    knows = ALWAYS

    def __init__(self) -> None:
        import jax
        import numpy
        from jaxmarl.environments.hanabi.hanabi import HanabiEnv

        jax.config.update("jax_platforms", "cpu")
        self._compile: Any = jax.jit
        self._numpy: Any = numpy
        self._kind: Any = HanabiEnv
        self._games: dict[tuple[int, ...], Any] = {}
        self._state: Any = None

    def sit(self, setup: Setup) -> None:
        if len(setup.suits) > MOST_SUITS or setup.ranks != tuple(range(1, len(setup.ranks) + 1)):
            raise Unsupported("it has at most six suits, and ranks from 1 upwards")
        if any(row != setup.copies[0] for row in setup.copies):
            raise Unsupported("it has as many copies in every suit")
        key = sizes(setup)
        if key not in self._games:
            copies = self._numpy.array(setup.copies[0])
            game = self._kind(**dict(zip(NAMES, key, strict=True)), num_cards_of_rank=copies)
            self._games[key] = game, self._compile(game.get_legal_moves)
        self._game, self._legal_moves = self._games[key]
        self._setup = setup
        self._numbering = Numbering(setup)
        self._card = card_pairs(setup)
        self._texts = {pair: text for text, pair in self._card.items()}

    def start(self, deck: tuple[str, ...]) -> Reply:
        pairs = self._numpy.array([self._card[card] for card in deck])
        self._state = self._game.reset_game_from_deck_of_pairs(pairs)
        return self._answer()

    def act(self, move: int) -> Reply:
        action = self._numbering.theirs[self._actor][move] if self._actor >= 0 else None
        if action is None or move not in self._legal:
            return self._answer()._replace(refused="it is not among its legal moves")
        self._state, _ = self._game.step_game(self._state, self._actor, action)
        return self._answer()

    def _answer(self) -> Reply:
        state, numpy = self._state, self._numpy
        hands = numpy.asarray(state.player_hands)
        seats = range(self._setup.players)
        over = bool(state.terminal)
        self._actor = -1 if over else int(numpy.argmax(numpy.asarray(state.cur_player_idx)))
        self._legal: frozenset[int] = frozenset()
        if not over:
            moves = numpy.asarray(self._legal_moves(state)[f"agent_{self._actor}"])
            ours = self._numbering.ours[self._actor]
            self._legal = frozenset(ours[n] for n in numpy.nonzero(moves)[0].tolist() if n in ours)
        seen = Seen(
            tuple(tuple(self._cards(hands[seat])) for seat in seats),
            tuple(int(height) for height in numpy.asarray(state.fireworks).sum(axis=1)),
            tuple(sorted(self._cards(numpy.asarray(state.discard_pile)))),
            len(self._cards(numpy.asarray(state.deck))),
            int(numpy.asarray(state.info_tokens).sum()),
            self._setup.red_tokens - int(numpy.asarray(state.life_tokens).sum()),
            None if over else self._actor,
            int(state.score),
            over,
        )
        return Reply(seen, self._legal)

    def _cards(self, cards: Any) -> list[str]:
        """One-hot cards as texts; what is empty is no card."""
        where = zip(*(axis.tolist() for axis in self._numpy.nonzero(cards)), strict=True)
        return [self._texts[suit, rank] for _, suit, rank in where]

    def close(self) -> None:
        self._state = None
