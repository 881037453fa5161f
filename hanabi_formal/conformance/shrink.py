"""The shortest game that shows a difference.

A game is taken for what was done in it, not for the cards that happened to lie where: play a red 1, discard, hint. Some
of that is left out, and a deal is made with which the rest can be done by whoever's turn it is then. What still shows
the same cause is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, cycle, islice

from hanabi_formal.conformance.benches import Benches, Kind
from hanabi_formal.conformance.difference import Cause, Difference, Played
from hanabi_formal.conformance.judge import ATTEMPTS, Judge
from hanabi_formal.conformance.menu import Menu
from hanabi_formal.conformance.styles import STYLES, Player
from hanabi_formal.run.compiler.compile import Dealt, Packed_State

TRIES = 400
SLOW = {"timed out": 12, "crashed": 150, "babbled": 150}
SHORT = 6
KINDS = 2
TINY_GAMES = 40


@dataclass(frozen=True)
class Deed:
    """What was done: with a card of a face, maybe naming a suit, or a hint so many seats on, about a suit or a rank.

    `forbidden` is the cause for which the rules forbid it, if they do; then any that they forbid for the same will do.
    """

    kind: str
    face: str = ""
    seats: int = 0
    about_suit: bool = False
    take: bool = True
    forbidden: Cause = ()
    named: int | None = None


class Shrinker:
    """`tries` is how many games the implementation may be asked to play for one difference."""

    def __init__(self, benches: Benches, tries: int = TRIES) -> None:
        self.benches = benches
        self.tries = tries

    def shrink(self, found: Difference) -> Difference:
        left = [min(self.tries, SLOW.get(found.cause[0], self.tries))]
        best = self._fewer_deeds(found, left)
        best = self._fewer_players(best, left)
        best = self._fewer_moves(best, left)
        return best if len(best.played) <= SHORT or found.cause[0] in SLOW else self._fewer_cards(best)

    # ---- deeds -----------------------------------------------------------------------------------------
    def _fewer_deeds(self, found: Difference, left: list[int]) -> Difference:
        judge = self._judge(found.played)
        if judge is None:
            return found
        deeds = deeds_of(judge, found.played)
        best = self._shown(judge, deeds, found, left)
        if best is None:
            return found
        size = max(1, len(deeds) // 2)
        while size and left[0] > 0:
            at = len(deeds) - size
            shorter = False
            while at >= 0 and left[0] > 0:
                fewer = deeds[:at] + deeds[at + size :]
                shown = self._shown(judge, fewer, found, left)
                if shown is not None:
                    deeds, best, shorter = deeds_of(judge, shown.played), shown, True
                at = min(at - size if shown is None else at - 1, len(deeds) - size)
            if not shorter or size > 1:
                size = size // 2 if size > 1 else (1 if shorter else 0)
        best = self._fewer_pairs(judge, best, left)
        return best if len(best.played) <= len(found.played) else found

    def _fewer_pairs(self, judge: Judge, best: Difference, left: list[int]) -> Difference:
        """Two deeds that make up for each other, such as a hint and a discard, can only be left out together."""
        deeds = deeds_of(judge, best.played)
        for one, other in combinations(range(len(deeds)), 2):
            if left[0] <= 0:
                break
            fewer = [deed for number, deed in enumerate(deeds) if number not in (one, other)]
            shown = self._shown(judge, fewer, best, left)
            if shown is not None:
                return self._fewer_pairs(judge, shown, left)
        return best

    def _fewer_players(self, found: Difference, left: list[int]) -> Difference:
        judge = self._judge(found.played)
        if judge is None or found.played.cuts:
            return found
        deeds = deeds_of(judge, found.played)
        for players in sorted(count for count in self.benches.game.player_counts if count < found.played.players):
            smaller = self.benches.judge(Kind(players))
            shown = self._shown(smaller, deeds, found, left) if smaller is not None else None
            if shown is not None and len(shown.played) <= len(found.played):
                return self._fewer_deeds(shown, left)
        return found

    def _fewer_cards(self, found: Difference) -> Difference:
        """Perhaps a tiny deck shows the same; then in fewer moves."""
        best = found
        counts = [count for count in self.benches.game.player_counts if count <= found.played.players]
        kinds = (kind for count in counts for kind in islice(self.benches.tiny(count), KINDS))
        for kind in kinds if not found.played.cuts else ():
            judge = self.benches.judge(kind)
            if judge is None:
                continue
            player = Player(judge.menu, "shorter")
            for style in islice(cycle(STYLES), TINY_GAMES):
                for shown in judge.play(player.deal(), player.chooser(style), ATTEMPTS):
                    if shown.cause == found.cause and len(shown.played) < len(best.played):
                        best = shown
        return self._fewer_deeds(best, [self.tries]) if best is not found else found

    def _shown(self, judge: Judge, deeds: Sequence[Deed], found: Difference, left: list[int]) -> Difference | None:
        made = realised(judge, deeds)
        return self._again(judge, made, found.cause, left) if made is not None else None

    # ---- moves -----------------------------------------------------------------------------------------
    def _fewer_moves(self, found: Difference, left: list[int]) -> Difference:
        """The same deal with moves left out, one at a time, for what is no matter of deeds."""
        judge = self._judge(found.played)
        if judge is None:
            return found
        at = len(found.played.moves) - 1
        while at >= 0 and left[0] > 0:
            moves = found.played.moves[:at] + found.played.moves[at + 1 :]
            found = self._again(judge, replace(found.played, moves=moves), found.cause, left) or found
            at = min(at, len(found.played.moves)) - 1
        return found

    def _judge(self, played: Played) -> Judge | None:
        return self.benches.judge(Kind(played.players, played.cuts))

    def _again(self, judge: Judge, played: Played, cause: Cause, left: list[int]) -> Difference | None:
        left[0] -= 1
        names = {name: face for face, name in enumerate(judge.menu.faces)}
        faces = [names[card] for card in played.deck]
        for difference in judge.follow(faces, played.moves, played.tried):
            if difference.cause == cause:
                return difference
        return None


def deeds_of(judge: Judge, played: Played) -> list[Deed]:
    """The moves of a game as what was done."""
    found = []
    for state, number, dealt in states_of(judge.menu, played):
        found.append(_deed(judge, played, state, number, dealt))
    return found


def states_of(menu: Menu, played: Played) -> list[tuple[Packed_State, int, Dealt]]:
    """Each state of a game with the move that was made or tried in it."""
    names = {name: face for face, name in enumerate(menu.faces)}
    dealt = menu.compiled.deal([names[card] for card in played.deck])
    state = menu.compiled.start(dealt)
    found = []
    for number in played.moves:
        found.append((state, number, dealt))
        codes = menu.compiled.legal(dealt, state)
        code = next(code for code in codes if menu.number(state, code) == number)
        state = menu.compiled.step(dealt, state, code)
    return [*found, *((state, number, dealt) for number in played.tried)]


def _deed(judge: Judge, played: Played, state: Packed_State, number: int, dealt: Dealt) -> Deed:
    menu = judge.menu
    move = menu.moves[number]
    legal = menu.numbers(state, menu.compiled.legal(dealt, state))
    forbidden = judge.forbidden(state, tuple(dealt[0]), number)[0] if number not in legal else ()
    hand = menu.hand(state, menu.actor(state))
    face = played.deck[hand[move.slot]] if move.slot is not None and move.slot < len(hand) else ""
    seats = (move.to - menu.actor(state)) % menu.players if move.to is not None else 0
    named = move.suit if move.slot is not None else None
    return Deed(move.kind, face, seats, move.suit is not None, move.take, forbidden, named)


# ---- a deal with which it can be done ----------------------------------------------------------------
def realised(judge: Judge, deeds: Sequence[Deed]) -> Played | None:
    """A game in which exactly this is done, if there is one and it is legal but for what is forbidden at its end."""
    deck = _deck(judge.menu, deeds)
    return _moves(judge, deck, deeds) if deck is not None else None


def _deck(menu: Menu, deeds: Sequence[Deed]) -> list[str] | None:
    """Each deed takes the oldest card that may still be anything, or one that has become what it needs."""
    free = Counter(menu.names(menu.some_deal))
    total, size = len(menu.some_deal), menu.hand_size
    hands = [list(range(seat * size, (seat + 1) * size)) for seat in range(menu.players)]
    drawn = menu.players * size
    known: dict[int, str] = {}
    for turn, deed in enumerate(deeds):
        hand = hands[turn % menu.players]
        if not deed.face or deed.forbidden:
            continue
        card = next((c for c in hand if known.get(c) == deed.face), None)
        if card is None:
            card = next((c for c in hand if c not in known), None)
            if card is None or not free[deed.face]:
                return None
            known[card] = deed.face
            free[deed.face] -= 1
        hand.remove(card)
        if drawn < total:
            hand.append(drawn)
            drawn += 1
    rest = iter(sorted(free.elements(), key=lambda face: (face[1:], face[0])))
    return [known[card] if card in known else next(rest) for card in range(total)]


def _moves(judge: Judge, deck: Sequence[str], deeds: Sequence[Deed]) -> Played | None:
    menu = judge.menu
    names = {name: face for face, name in enumerate(menu.faces)}
    faces = [names[card] for card in deck]
    dealt = menu.compiled.deal(faces)
    state = menu.compiled.start(dealt)
    moves: list[int] = []
    for position, deed in enumerate(deeds):
        if menu.compiled.ended(state) and not deed.forbidden:
            # With less done before, the game may be over earlier; that may be all the better.
            break
        codes = menu.compiled.legal(dealt, state)
        numbered = {menu.number(state, code): code for code in codes}
        if deed.forbidden:
            legal = frozenset(n for n in numbered if n is not None)
            tried = [_forbidden(judge, state, faces, forbidden, legal) for forbidden in deeds[position:]]
            return _played(judge, deck, moves, [n for n in tried if n is not None]) if None not in tried else None
        number = _matching(menu, state, deck, deed, [n for n in numbered if n is not None])
        if number is None:
            return None
        moves.append(number)
        state = menu.compiled.step(dealt, state, numbered[number])
    return _played(judge, deck, moves, ())


def _played(judge: Judge, deck: Sequence[str], moves: Sequence[int], tried: Sequence[int]) -> Played:
    return Played(judge.menu.players, judge.cuts, tuple(deck), tuple(moves), tuple(tried))


def _forbidden(
    judge: Judge, state: Packed_State, faces: Sequence[int], deed: Deed, legal: frozenset[int]
) -> int | None:
    """One that is forbidden for this; best for this alone."""
    deal, found = tuple(faces), []
    for number, move in enumerate(judge.menu.moves):
        if move.kind != deed.kind or number in legal or judge.menu.instance(state, number) is None:
            continue
        if judge.forbidden(state, deal, number)[0] == deed.forbidden:
            found.append((judge.reasons(state, deal, number), number))
    return min(found)[1] if found else None


def _matching(menu: Menu, state: Packed_State, deck: Sequence[str], deed: Deed, legal: Sequence[int]) -> int | None:
    """The legal move that does it; of hints the one most like it."""
    hand = menu.hand(state, menu.actor(state))
    best: tuple[int, int] | None = None
    for number in legal:
        move = menu.moves[number]
        if move.kind != deed.kind or move.take != deed.take:
            continue
        if move.slot is not None and (deck[hand[move.slot]], move.suit) != (deed.face, deed.named):
            continue
        unlike = 0
        if move.to is not None:
            seats = (move.to - menu.actor(state)) % menu.players
            unlike = 2 * (seats != deed.seats) + ((move.suit is not None) != deed.about_suit)
        if best is None or unlike < best[0]:
            best = unlike, number
    return best[1] if best is not None else None
