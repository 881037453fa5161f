"""A search for a line that wins, side by side, turn by turn; the most promising positions go on."""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter

from hanabi_formal.winnability.abstract_game import TO_DISCARD, TO_HINT, Simplified
from hanabi_formal.winnability.line_writer import Move


@dataclass(frozen=True)
class Weights:
    """What a position is worth beside the cards played: tokens, turns to spare, cards that wait, cards to play."""

    tokens: float = 0.7
    spare: float = 1.4
    waiting: float = 0.07
    ready: float = 2.7


Trail = tuple[Move, "Trail | None"]
Hands = tuple[int, ...]
Entry = tuple[float, int, Hands, int, int, int, "Trail | None"]
"""A position: its value, faces still to be played, hands, cards drawn, tokens, turns left, and how it came about."""


class Beam:
    """All that a deal fixes, so that searches of several widths share it."""

    def __init__(self, game: Simplified, weights: Weights | None = None) -> None:
        self.game = game
        self.weights = weights or Weights()
        position = game.position
        self.worth_of_tokens = [
            self.weights.tokens * (many if many < 5 else 4 + 0.2 * many) for many in range(position.token_limit + 1)
        ]
        size = len(position.faces)
        most = max(MOST_SPARE, size + position.players)
        self.worth_of_spare = [self.weights.spare * min(many, MOST_SPARE) for many in range(most + 1)]

    def search(self, width: int) -> list[Move] | None:
        """The moves of a line that plays every face, if one is found among so many positions a turn."""
        game, position = self.game, self.game.position
        to_play, to_drop = game.to_play, game.to_drop
        bits, later, ones, tops, has_last_round = game.bits, game.later, game.ones, game.tops, game.has_last_round
        players, hand_size, limit = position.players, position.hand_size, position.token_limit
        crowding, readiness = self.weights.waiting / players, self.weights.ready
        worth_of_tokens, worth_of_spare = self.worth_of_tokens, self.worth_of_spare
        size = len(position.faces)
        first = (position.drawn, position.tokens, position.turns_left)
        layer: list[Entry] = [(0.0, game.need, tuple(game.hands), *first, None)]
        if not game.need:
            return []
        seat = position.turn
        while layer:
            found: dict[tuple[int, Hands, int, int], Entry] = {}
            for _, need, hands, drawn, tokens, left, trail in layer:
                hand = hands[seat] & need
                ready = need & ~((need << 1) & ~ones)
                pile = drawn < size
                card = bits[drawn]
                next_drawn = drawn + 1 if pile else drawn
                next_left = left if pile or not has_last_round else left - 1
                before, after = hands[:seat], hands[seat + 1 :]
                many = need.bit_count()
                playable = hand & ready
                while playable:
                    bit = playable & -playable
                    playable ^= bit
                    now_need = need ^ bit
                    if not now_need:
                        return _line(to_play[bit.bit_length() - 1], trail)
                    spare = size - next_drawn + next_left - many + 1 if has_last_round else MOST_SPARE
                    if spare < 0 or not next_left:
                        continue
                    gained = tokens + 1 if bit & tops and tokens < limit else tokens
                    now_hands = (*before, hand ^ bit | card, *after)
                    key = (now_need, now_hands, next_drawn, gained)
                    if key in found:
                        continue
                    now_ready = now_need & ~((now_need << 1) & ~ones)
                    waiting = now_need & ~now_ready
                    held, crowded = 0, 0
                    for cards in now_hands:
                        held |= cards
                        wait = (cards & waiting).bit_count()
                        crowded += wait * wait
                    value = (
                        10.0
                        - 10.0 * many
                        + worth_of_tokens[gained]
                        + worth_of_spare[spare]
                        - crowding * crowded
                        + readiness * (held & now_ready).bit_count()
                    )
                    move = to_play[bit.bit_length() - 1]
                    found[key] = (value, now_need, now_hands, next_drawn, gained, next_left, (move, trail))
                if not next_left:
                    continue
                options: list[tuple[int, int, int, Move]] = []
                if tokens:
                    options.append((hand, drawn, tokens - 1, TO_HINT))
                if tokens < limit and (pile or has_last_round):
                    if not pile or hand.bit_count() < hand_size:
                        options.append((hand | card, next_drawn, tokens + 1, TO_DISCARD))
                    else:
                        elsewhere = later[drawn]
                        for cards in (*before, *after):
                            elsewhere |= cards
                        let_go = hand & elsewhere
                        while let_go:
                            bit = let_go & -let_go
                            let_go ^= bit
                            move = to_drop[bit.bit_length() - 1]
                            options.append((hand ^ bit | card, next_drawn, tokens + 1, move))
                # What the others hold is worth the same whatever is put down or said.
                others, crowd, waiting = 0, 0, need & ~ready
                for cards in (*before, *after):
                    others |= cards
                    wait = (cards & waiting).bit_count()
                    crowd += wait * wait
                for now_hand, now_drawn, now_tokens, move in options:
                    spare = size - now_drawn + next_left - many if has_last_round else MOST_SPARE
                    if spare < 0:
                        continue
                    now_hands = (*before, now_hand, *after)
                    key = (need, now_hands, now_drawn, now_tokens)
                    if key in found:
                        continue
                    wait = (now_hand & waiting).bit_count()
                    value = (
                        -10.0 * many
                        + worth_of_tokens[now_tokens]
                        + worth_of_spare[spare]
                        - crowding * (crowd + wait * wait)
                        + readiness * ((others | now_hand) & ready).bit_count()
                    )
                    found[key] = (value, need, now_hands, now_drawn, now_tokens, next_left, (move, trail))
            layer = list(found.values())
            if len(layer) > width:
                layer.sort(key=_VALUE, reverse=True)
                del layer[width:]
            seat = (seat + 1) % players
        return None


MOST_SPARE = 6
_VALUE = itemgetter(0)


def _line(last: Move, trail: Trail | None) -> list[Move]:
    moves = [last]
    while trail is not None:
        move, trail = trail
        moves.append(move)
    moves.reverse()
    return moves
