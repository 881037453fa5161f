"""The quickest search for a line: who can play does; who cannot hints or discards, whichever is worth more."""

from __future__ import annotations

from dataclasses import dataclass

from hanabi_formal.winnability.abstract_game import TO_DISCARD, TO_HINT, AbstractAction, AbstractGame


@dataclass(frozen=True)
class Temper:
    """What things are worth: tokens, turns to spare up to so many, cards to play; and what a crowd of others costs."""

    tokens: float
    spare: float
    most_spare: int
    ready: float
    waiting: float


TEMPERS = (Temper(1.0, 2.8, 4, 2.0, 0.3), Temper(0.3, 1.4, 3, 1.0, 0.0), Temper(1.4, 2.0, 8, 3.5, 0.15))
"""Where one of them fails another may not: together they win nine deals in ten of those that can be won."""

FEW = 5
"""Tokens beyond so many are worth a fifth."""


def greedy(game: AbstractGame, temper: Temper) -> list[AbstractAction] | None:
    """A line that plays every face, if taking what seems best every turn leads to one."""
    bits, later, has_last_round, size = game.bits, game.later, game.has_last_round, game.size
    above, tops, to_play, to_drop = game.above, game.tops, game.to_play, game.to_drop
    players, hand_size, limit, seat = game.players, game.hand_size, game.token_limit, 0
    crowding = temper.waiting / players
    (missing, first_hands, drawn, tokens), left = game.first, game.turns_left
    hands = list(first_hands)
    many = missing.bit_count()
    actions: list[AbstractAction] = []
    while many:
        pile = drawn < size
        if not pile and has_last_round:
            if not left:
                return None
            left -= 1
        hand, card = hands[seat] & missing, bits[drawn]
        ready = missing & ~(missing << 1 & above)
        play = hand & ready
        if play:
            if play & play - 1:
                play = _best_play(game, temper, missing, hands, seat, play, card, tokens < limit)
            actions.append(to_play[play.bit_length() - 1])
            missing ^= play
            many -= 1
            hands[seat] = hand ^ play | card
            drawn += pile
            if play & tops and tokens < limit:
                tokens += 1
        else:
            spare = size - drawn + left - many
            if spare < 0 and has_last_round:
                return None
            discards = tokens < limit and (spare > 0 if pile and has_last_round else pile or has_last_round)
            drop = 0
            if discards and (tokens or hand.bit_count() == hand_size):
                hands[seat] = others = 0
                for held in hands:
                    others |= held
                if pile and hand.bit_count() == hand_size:  # of use, all of them: one goes that there is elsewhere
                    spared = hand & others or hand & later[drawn]
                    discards, drop = spared > 0, spared & -spared
                if tokens and discards:
                    gain = temper.tokens * (2.0 if tokens < FEW else 1.2 if tokens == FEW else 0.4)
                    if pile and has_last_round and spare <= temper.most_spare:
                        gain -= temper.spare
                    if card & ready & ~others:
                        gain += temper.ready
                    waiting, crowd = hand.bit_count(), ((hand ^ drop | card) & missing & ~ready).bit_count()
                    discards = gain > crowding * (crowd * crowd - waiting * waiting)
            if discards:
                actions.append(to_drop[drop.bit_length() - 1] if drop else TO_DISCARD)
                hands[seat] = hand ^ drop | card
                drawn += pile
                tokens += 1
            elif tokens:
                actions.append(TO_HINT)
                hands[seat] = hand
                tokens -= 1
            else:
                return None
        seat = seat + 1 if seat + 1 < players else 0
    return actions


def _best_play(
    game: AbstractGame, temper: Temper, missing: int, hands: list[int], seat: int, playable: int, card: int, token: bool
) -> int:
    above, crowding = game.above, temper.waiting / len(hands)
    hand = hands[seat] & missing
    best, found = float("-inf"), 0
    while playable:
        play = playable & -playable
        playable ^= play
        hands[seat] = hand ^ play | card
        needed = missing ^ play
        ready = needed & ~(needed << 1 & above)
        waiting = needed & ~ready
        held, crowd = 0, 0
        for cards in hands:
            held |= cards
            many = (cards & waiting).bit_count()
            crowd += many * many
        worth = temper.ready * (held & ready).bit_count() - crowding * crowd
        if token and play & game.tops:
            worth += temper.tokens
        if worth > best:
            best, found = worth, play
    return found
