"""A search for a line that wins, side by side, turn by turn; the most promising positions go on.

It plays a simplification: cards that are of no more use are alike, a hint is a turn passed, and nobody errs. A line it
finds is a claim until the rules have played it, so nothing here needs a proof.
"""

from __future__ import annotations

from dataclasses import dataclass

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
        size = len(position.faces)
        self.later = [0] * (size + 1)
        for card in range(size - 1, -1, -1):
            self.later[card] = self.later[card + 1] | self.bits[card]

    def search(self, width: int) -> list[Move] | None:
        """The moves of a line that plays every face, if one is found among so many positions a turn."""
        position, bits, later, ones, tops = self.position, self.bits, self.later, self.ones, self.tops
        weights = self.weights
        players, hand_size, limit = position.players, position.hand_size, position.token_limit
        size = len(position.faces)
        need = 0
        for face in range(position.suits * position.ranks):
            if not position.is_played(face):
                need |= 1 << face
        dealt = []
        for cards_held in position.hands:
            mask = 0
            for number in cards_held:
                mask |= bits[number]
            dealt.append(mask)
        layer: list[Entry] = [(0.0, need, tuple(dealt), position.drawn, position.tokens, position.turns_left, None)]
        if not need:
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
                next_left = left if pile or not self.has_last_round else left - 1
                options: list[tuple[int, int, int, int, Move]] = []
                playable = hand & ready
                while playable:
                    bit = playable & -playable
                    playable ^= bit
                    gained = tokens + 1 if bit & tops and tokens < limit else tokens
                    move = Move(PLAY, bit.bit_length() - 1)
                    options.append((need ^ bit, hand ^ bit | card, next_drawn, gained, move))
                if next_left:
                    if tokens:
                        options.append((need, hand, drawn, tokens - 1, _HINT))
                    if tokens < limit and (pile or self.has_last_round):
                        if not pile or hand.bit_count() < hand_size:
                            options.append((need, hand | card, next_drawn, tokens + 1, _DISCARD))
                        else:
                            elsewhere = later[drawn]
                            for other, cards in enumerate(hands):
                                if other != seat:
                                    elsewhere |= cards
                            spare = hand & elsewhere
                            while spare:
                                bit = spare & -spare
                                spare ^= bit
                                move = Move(DISCARD, bit.bit_length() - 1)
                                options.append((need, hand ^ bit | card, next_drawn, tokens + 1, move))
                for now_need, now_hand, now_drawn, now_tokens, move in options:
                    if not now_need:
                        return _line(move, trail)
                    if not next_left:
                        continue
                    open_faces = now_need.bit_count()
                    spare_turns = size - now_drawn + next_left - open_faces if self.has_last_round else 6
                    if spare_turns < 0:
                        continue
                    now_hands = (*hands[:seat], now_hand, *hands[seat + 1 :])
                    key = (now_need, now_hands, now_drawn, now_tokens)
                    if key in found:
                        continue
                    now_ready = now_need & ~((now_need << 1) & ~ones)
                    held, crowded = 0, 0
                    for cards in now_hands:
                        cards &= now_need
                        held |= cards
                        wait = (cards & ~now_ready).bit_count()
                        crowded += wait * wait
                    value = (
                        -10.0 * open_faces
                        + weights.tokens * (now_tokens if now_tokens < 5 else 4 + 0.2 * now_tokens)
                        + weights.spare * (spare_turns if spare_turns < 6 else 6)
                        - weights.waiting * crowded / players
                        + weights.ready * (held & now_ready).bit_count()
                    )
                    found[key] = (value, now_need, now_hands, now_drawn, now_tokens, next_left, (move, trail))
            layer = list(found.values())
            if len(layer) > width:
                if width == 1:
                    layer = [max(layer, key=_value)]
                else:
                    layer.sort(key=_value, reverse=True)
                    del layer[width:]
            seat = (seat + 1) % players
        return None


_HINT, _DISCARD = Move(HINT), Move(DISCARD)


def _value(entry: Entry) -> float:
    return entry[0]


def _line(last: Move, trail: Trail | None) -> list[Move]:
    moves = [last]
    while trail is not None:
        move, trail = trail
        moves.append(move)
    moves.reverse()
    return moves
