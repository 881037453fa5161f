"""A search for a line that wins, side by side, turn by turn; the most promising positions go on.

It plays a simplification: cards that are of no more use are alike, a hint is a turn passed, and nobody errs. A line it
finds is a claim until the rules have played it, so nothing here needs a proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter

from hanabi_formal.ask.winnable.lines import DISCARD, HINT, PLAY, Move
from hanabi_formal.certify.position import Position


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

    def __init__(self, position: Position, has_last_round: bool = True, weights: Weights | None = None) -> None:
        self.position = position
        self.has_last_round = has_last_round
        self.weights = weights or Weights()
        ranks = position.ranks
        self.bits = [1 << face for face in position.faces]
        self.bits.append(0)
        self.ones = sum(1 << suit * ranks for suit in range(position.suits))
        self.tops = self.ones << ranks - 1
        self.worth_of_tokens = [
            self.weights.tokens * (many if many < 5 else 4 + 0.2 * many) for many in range(position.token_limit + 1)
        ]
        size = len(position.faces)
        most = max(MOST_SPARE, size + position.players)
        self.worth_of_spare = [self.weights.spare * min(many, MOST_SPARE) for many in range(most + 1)]
        self.later = [0] * (size + 1)
        for card in range(size - 1, -1, -1):
            self.later[card] = self.later[card + 1] | self.bits[card]

    def search(self, width: int) -> list[Move] | None:
        """The moves of a line that plays every face, if one is found among so many positions a turn."""
        position, bits, later, ones, tops = self.position, self.bits, self.later, self.ones, self.tops
        players, hand_size, limit = position.players, position.hand_size, position.token_limit
        crowding, readiness, has_last_round = self.weights.waiting / players, self.weights.ready, self.has_last_round
        worth_of_tokens, worth_of_spare = self.worth_of_tokens, self.worth_of_spare
        size = len(position.faces)
        layer = [self._first()]
        if not layer[0][1]:
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
                        return _line(_PLAYS[bit.bit_length() - 1], trail)
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
                        10.0 - 10.0 * many + worth_of_tokens[gained] + worth_of_spare[spare]
                        - crowding * crowded + readiness * (held & now_ready).bit_count()
                    )  # fmt: skip
                    move = _PLAYS[bit.bit_length() - 1]
                    found[key] = (value, now_need, now_hands, next_drawn, gained, next_left, (move, trail))
                if not next_left:
                    continue
                options: list[tuple[int, int, int, Move]] = []
                if tokens:
                    options.append((hand, drawn, tokens - 1, _HINT))
                if tokens < limit and (pile or has_last_round):
                    if not pile or hand.bit_count() < hand_size:
                        options.append((hand | card, next_drawn, tokens + 1, _DISCARD))
                    else:
                        elsewhere = later[drawn]
                        for cards in (*before, *after):
                            elsewhere |= cards
                        let_go = hand & elsewhere
                        while let_go:
                            bit = let_go & -let_go
                            let_go ^= bit
                            move = _DROPS[bit.bit_length() - 1]
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
                        -10.0 * many + worth_of_tokens[now_tokens] + worth_of_spare[spare]
                        - crowding * (crowd + wait * wait) + readiness * ((others | now_hand) & ready).bit_count()
                    )  # fmt: skip
                    found[key] = (value, need, now_hands, now_drawn, now_tokens, next_left, (move, trail))
            layer = list(found.values())
            if len(layer) > width:
                if width == 1:
                    layer = [max(layer, key=_VALUE)]
                else:
                    layer.sort(key=_VALUE, reverse=True)
                    del layer[width:]
            seat = (seat + 1) % players
        return None

    def _first(self) -> Entry:
        position = self.position
        need = 0
        for suit, height in enumerate(position.heights):
            need |= ((1 << position.ranks) - (1 << height)) << suit * position.ranks
        hands = []
        for cards in position.hands:
            mask = 0
            for card in cards:
                mask |= self.bits[card]
            hands.append(mask)
        return (0.0, need, tuple(hands), position.drawn, position.tokens, position.turns_left, None)


MOST_FACES = 200
MOST_SPARE = 6
_HINT, _DISCARD, _VALUE = Move(HINT), Move(DISCARD), itemgetter(0)
_PLAYS = [Move(PLAY, face) for face in range(MOST_FACES)]
_DROPS = [Move(DISCARD, face) for face in range(MOST_FACES)]


def _line(last: Move, trail: Trail | None) -> list[Move]:
    moves = [last]
    while trail is not None:
        move, trail = trail
        moves.append(move)
    moves.reverse()
    return moves
