"""hanabi-learning-environment: its C++ game by way of `pyhanabi`.

An illegal move aborts the process, so its own list of legal moves is asked first. Cards are dealt at its chance nodes,
where moves that deal are needed; it gives none, but they are found in the histories of games that it deals itself.
"""

from __future__ import annotations

from typing import Any

from hanabi_formal.conformance.adapters.learning_moves import OPTIONS, card_pairs, card_texts, check_cards, sizes
from hanabi_formal.conformance.messages import ALWAYS, ProtocolMove, Reply, Seen, Setup, Unsupported

CHANCE = -1
MOST_GAMES = 500


class LearningEnvironment:
    name = "hanabi_learning_environment"
    knows = ALWAYS

    def __init__(self) -> None:
        from hanabi_learning_environment import pyhanabi

        self._py: Any = pyhanabi
        self._games: dict[tuple[int, ...], tuple[Any, dict[tuple[int, int], Any], Any]] = {}
        self._state: Any = None

    def sit(self, setup: Setup) -> None:
        check_cards(setup)
        key = sizes(setup)
        if key not in self._games:
            game = self._py.HanabiGame(dict(zip(OPTIONS, key, strict=True)))
            self._games[key] = game, *self._dealing(game, key[1] * key[2])
        self._game, self._deals, self._kept = self._games[key]
        self._setup = setup
        self._text = card_texts(setup)
        self._card = card_pairs(setup)
        self._moves = {
            (number, actor): made
            for number, move in enumerate(setup.moves)
            for actor in range(setup.players)
            if (made := self._move(move, actor)) is not None
        }

    def _dealing(self, game: Any, faces: int) -> tuple[dict[tuple[int, int], Any], list[Any]]:
        """A move for each face, out of throw-away games; their histories are kept, for the moves live in them."""
        found: dict[tuple[int, int], Any] = {}
        kept = []
        for _ in range(MOST_GAMES):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.cur_player() == CHANCE:
                    state.deal_random_card()
                else:
                    moves = state.legal_moves()
                    discards = [m for m in moves if m.type() == self._py.HanabiMoveType.DISCARD]
                    hints = [m for m in moves if int(m.type()) in (3, 4)]
                    state.apply_move((discards or hints or moves)[0])
            for item in state.move_history():
                move = item.move()
                if move.type() == self._py.HanabiMoveType.DEAL and (move.color(), move.rank()) not in found:
                    found[move.color(), move.rank()] = move
                    kept.append((state, item))
            if len(found) == faces:
                return found, kept
        raise Unsupported("it never dealt some of its cards")

    def _move(self, move: ProtocolMove, actor: int) -> Any:
        made = self._py.HanabiMove
        further = 0 if move.to is None else (move.to - actor) % self._setup.players
        match move:
            case ProtocolMove(take=False):
                return None
            case ProtocolMove("discard", int(slot)):
                return made.get_discard_move(slot)
            case ProtocolMove("play", int(slot)):
                return made.get_play_move(slot)
            case ProtocolMove(suit=int(suit)) if further:
                return made.get_reveal_color_move(further, suit)
            case ProtocolMove(rank=int(rank)) if further:
                return made.get_reveal_rank_move(further, rank - 1)
        return None

    def start(self, deck: tuple[str, ...]) -> Reply:
        self._deck = [self._deals[self._card[card]] for card in deck]
        self._next = 0
        self._state = self._game.new_initial_state()
        self._deal()
        return self._answer()

    def _deal(self) -> None:
        while self._state.cur_player() == CHANCE and not self._state.is_terminal():
            self._state.apply_move(self._deck[self._next])
            self._next += 1

    def act(self, move: int) -> Reply:
        state = self._state
        over = state.is_terminal()
        made = self._moves.get((move, state.cur_player())) if not over else None
        if made is None or not state.move_is_legal(made):
            return self._answer()._replace(refused="its own `move_is_legal` says no")
        state.apply_move(made)
        self._deal()
        return self._answer()

    def _answer(self) -> Reply:
        state, text = self._state, self._text
        over = state.is_terminal()
        actor = state.cur_player()
        hands = tuple(tuple(text[str(card)] for card in hand) for hand in state.player_hands())
        seen = Seen(
            hands,
            tuple(state.fireworks()),
            tuple(sorted(text[str(card)] for card in state.discard_pile())),
            state.deck_size(),
            state.information_tokens(),
            self._setup.red_tokens - state.life_tokens(),
            None if over else actor,
            state.score(),
            over,
        )
        if over:
            return Reply(seen, frozenset())
        legal = (n for n in range(len(self._setup.moves)) if (n, actor) in self._moves)
        return Reply(seen, frozenset(n for n in legal if state.move_is_legal(self._moves[n, actor])))

    def close(self) -> None:
        self._state = None
