"""Beam search for a line that wins: turn by turn, the most promising states of the abstract game go on."""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter

from hanabi_formal.winnability.abstract_game import TO_DISCARD, TO_HINT, AbstractAction, AbstractGame, AbstractState

MOST_SPARE = 6
"""More turns to spare than so many are worth no more."""


@dataclass(frozen=True)
class Heuristic:
    """What a state is worth beside the cards played: tokens, turns to spare, cards to play; waiting cards cost."""

    tokens: float = 0.7
    spare: float = 1.4
    waiting: float = 0.07
    ready: float = 2.7


USUAL = Heuristic()

Trail = tuple[AbstractAction, "Trail | None"]
"""The actions of a line so far, the last first."""
BeamNode = tuple[float, AbstractState, int, Trail | None]
"""The estimate of a state, the state, the turns left in it, and how it came about."""
BeamLayer = dict[AbstractState, BeamNode]
"""The nodes after as many turns. Of two that differ in the turns left alone, the one that was found first stays."""
ESTIMATE = itemgetter(0)


class BeamSearch:
    """All that a deal fixes, so that searches of several widths share it."""

    def __init__(self, game: AbstractGame, chosen: Heuristic = USUAL) -> None:
        self.game = game
        self.crowding, self.readiness = chosen.waiting / game.players, chosen.ready
        self.worth_of_tokens = [
            chosen.tokens * (many if many < 5 else 4 + 0.2 * many) for many in range(game.token_limit + 1)
        ]
        most = max(MOST_SPARE, game.size + game.players)
        self.worth_of_spare = [chosen.spare * min(many, MOST_SPARE) for many in range(most + 1)]

    def search(self, width: int) -> list[AbstractAction] | None:
        """A line that plays every face, if the beam of that width finds one."""
        missing, *_ = self.game.first
        if not missing:
            return []
        beam: list[BeamNode] = [(0.0, self.game.first, self.game.turns_left, None)]
        while beam:
            layer: BeamLayer = {}
            for node in beam:
                last = self._expand(node, layer)
                if last is not None:
                    return _line((last, node[3]))
            beam = list(layer.values())
            if len(beam) > width:
                beam.sort(key=ESTIMATE, reverse=True)
                del beam[width:]
        return None

    def _expand(self, node: BeamNode, layer: BeamLayer) -> AbstractAction | None:
        """Add what follows a node to the next layer; an action that plays the last face is returned instead."""
        _, (missing, hands, drawn, tokens), turns_left, trail = node
        game, has_last_round, size = self.game, self.game.has_last_round, self.game.size
        hand, others = hands[0] & missing, hands[1:]
        ready = missing & ~(missing << 1 & game.above)
        if has_last_round and drawn == size:
            turns_left -= 1
        if hand & ready:
            last = self._add_plays(node, hand & ready, turns_left, layer)
            if last is not None:
                return last
        if not turns_left:
            return None
        # What the others hold is worth the same after a hint and every discard.
        many, waiting = missing.bit_count(), missing & ~ready
        held, crowd = 0, 0
        for cards in others:
            held |= cards
            wait = (cards & waiting).bit_count()
            crowd += wait * wait
        for then_hand, then_drawn, then_tokens, action in self._passes(hand, drawn, tokens, held):
            spare = size - then_drawn + turns_left - many if has_last_round else MOST_SPARE
            if spare < 0:
                continue
            state = (missing, (*others, then_hand), then_drawn, then_tokens)
            if state in layer:
                continue
            wait = (then_hand & waiting).bit_count()
            estimate = (
                -10.0 * many
                + self.worth_of_tokens[then_tokens]
                + self.worth_of_spare[spare]
                - self.crowding * (crowd + wait * wait)
                + self.readiness * ((held | then_hand) & ready).bit_count()
            )
            layer[state] = (estimate, state, turns_left, (action, trail))
        return None

    def _add_plays(self, node: BeamNode, playable: int, turns_left: int, layer: BeamLayer) -> AbstractAction | None:
        """The same for each face that can be played. The estimate is written out twice: a call costs a tenth more."""
        _, (missing, hands, drawn, tokens), _, trail = node
        game = self.game
        hand, others = hands[0] & missing, hands[1:]
        card = game.bits[drawn]
        if drawn < game.size:
            drawn += 1
        many = missing.bit_count() - 1
        spare = game.size - drawn + turns_left - many if game.has_last_round else MOST_SPARE
        goes_on = spare >= 0 and turns_left
        while playable:
            face = playable & -playable
            playable ^= face
            if not many:
                return game.to_play[face.bit_length() - 1]
            if not goes_on:
                continue
            left = missing ^ face
            gained = tokens + 1 if face & game.tops and tokens < game.token_limit else tokens
            then_hands = (*others, hand ^ face | card)
            state = (left, then_hands, drawn, gained)
            if state in layer:
                continue
            ready = left & ~(left << 1 & game.above)
            waiting = left & ~ready
            held, crowd = 0, 0
            for cards in then_hands:
                held |= cards
                wait = (cards & waiting).bit_count()
                crowd += wait * wait
            estimate = (
                -10.0 * many
                + self.worth_of_tokens[gained]
                + self.worth_of_spare[spare]
                - self.crowding * crowd
                + self.readiness * (held & ready).bit_count()
            )
            layer[state] = (estimate, state, turns_left, (game.to_play[face.bit_length() - 1], trail))
        return None

    def _passes(self, hand: int, drawn: int, tokens: int, others: int) -> list[tuple[int, int, int, AbstractAction]]:
        """A hint, and each discard that leaves a card of every face: hand, cards drawn and tokens after it."""
        game = self.game
        found = [(hand, drawn, tokens - 1, TO_HINT)] if tokens else []
        in_pile = drawn < game.size
        if tokens >= game.token_limit or not (in_pile or game.has_last_round):
            return found
        card = game.bits[drawn]
        if not in_pile or hand.bit_count() < game.hand_size:
            found.append((hand | card, drawn + in_pile, tokens + 1, TO_DISCARD))
            return found
        spared = hand & (game.later[drawn] | others)
        while spared:
            face = spared & -spared
            spared ^= face
            found.append((hand ^ face | card, drawn + 1, tokens + 1, game.to_drop[face.bit_length() - 1]))
        return found


def _line(trail: Trail | None) -> list[AbstractAction]:
    actions = []
    while trail is not None:
        action, trail = trail
        actions.append(action)
    actions.reverse()
    return actions
