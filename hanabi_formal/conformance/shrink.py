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

from hanabi_formal.conformance.benches import Benches
from hanabi_formal.conformance.difference import Cause, ComparedGame, GameKind, Nonconformance
from hanabi_formal.conformance.menu import Menu
from hanabi_formal.conformance.one_game import ATTEMPTS, Bench
from hanabi_formal.conformance.styles import STYLES, StyledPlayer
from hanabi_formal.run.compiler.compile import Dealt, PackedState

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


@dataclass
class Shrinker:
    """`left` is how many games the implementation may still be asked to play for one difference."""

    benches: Benches
    left: int = 0

    def shrink(self, found: Nonconformance) -> Nonconformance:
        self.left = SLOW.get(found.cause[0], TRIES)
        best = self._fewer_moves(self._fewer_players(self._fewer_deeds(found)))
        return best if len(best.played) <= SHORT or found.cause[0] in SLOW else self._fewer_cards(best)

    # ---- deeds -----------------------------------------------------------------------------------------
    def _fewer_deeds(self, found: Nonconformance) -> Nonconformance:
        bench = self.benches.of(found)
        deeds = deeds_of(bench, found.played)
        best = self._shown(bench, deeds, found)
        if best is None:
            return found
        size = max(1, len(deeds) // 2)
        while size and self.left > 0:
            at = len(deeds) - size
            shorter = False
            while at >= 0 and self.left > 0:
                fewer = deeds[:at] + deeds[at + size :]
                shown = self._shown(bench, fewer, found)
                if shown is not None:
                    deeds, best, shorter = deeds_of(bench, shown.played), shown, True
                at = min(at - size if shown is None else at - 1, len(deeds) - size)
            if not shorter or size > 1:
                size //= 2
        best = self._fewer_pairs(bench, best)
        return best if len(best.played) <= len(found.played) else found

    def _fewer_pairs(self, bench: Bench, best: Nonconformance) -> Nonconformance:
        """Two deeds that make up for each other, such as a hint and a discard, can only be left out together."""
        deeds = deeds_of(bench, best.played)
        for one, other in combinations(range(len(deeds)), 2):
            if self.left <= 0:
                break
            fewer = [deed for number, deed in enumerate(deeds) if number not in (one, other)]
            shown = self._shown(bench, fewer, best)
            if shown is not None:
                return self._fewer_pairs(bench, shown)
        return best

    def _fewer_players(self, found: Nonconformance) -> Nonconformance:
        kind = found.played.kind
        if kind.cuts:
            return found
        deeds = deeds_of(self.benches.of(found), found.played)
        for players in sorted(count for count in self.benches.game.player_counts if count < kind.players):
            smaller = self.benches.bench(GameKind(players))
            shown = self._shown(smaller, deeds, found) if smaller is not None else None
            if shown is not None and len(shown.played) <= len(found.played):
                return self._fewer_deeds(shown)
        return found

    def _fewer_cards(self, found: Nonconformance) -> Nonconformance:
        """Perhaps a tiny deck shows the same; then in fewer moves."""
        best, kind = found, found.played.kind
        counts = [count for count in self.benches.game.player_counts if count <= kind.players and not kind.cuts]
        for tiny in (tiny for count in counts for tiny in islice(self.benches.tiny(count), KINDS)):
            bench = self.benches.bench(tiny)
            if bench is None:
                continue
            player = StyledPlayer(bench.menu, "shorter")
            for style in islice(cycle(STYLES), TINY_GAMES):
                for shown in bench.play(player.deal(), player.chooser(style), ATTEMPTS):
                    if shown.cause == found.cause and len(shown.played) < len(best.played):
                        best = shown
        self.left = TRIES
        return self._fewer_deeds(best) if best is not found else found

    def _shown(self, bench: Bench, deeds: Sequence[Deed], found: Nonconformance) -> Nonconformance | None:
        made = realised(bench, deeds)
        return self._again(bench, made, found.cause) if made is not None else None

    # ---- moves -----------------------------------------------------------------------------------------
    def _fewer_moves(self, found: Nonconformance) -> Nonconformance:
        """The same deal with moves left out, one at a time, for what is no matter of deeds."""
        bench = self.benches.of(found)
        at = len(found.played.moves) - 1
        while at >= 0 and self.left > 0:
            moves = found.played.moves[:at] + found.played.moves[at + 1 :]
            found = self._again(bench, replace(found.played, moves=moves), found.cause) or found
            at = min(at, len(found.played.moves)) - 1
        return found

    def _again(self, bench: Bench, played: ComparedGame, cause: Cause) -> Nonconformance | None:
        self.left -= 1
        return next((difference for difference in bench.follow(played) if difference.cause == cause), None)


def deeds_of(bench: Bench, played: ComparedGame) -> list[Deed]:
    """The moves of a game as what was done."""
    return [_deed(bench, played, state, number, dealt) for state, number, dealt in states_of(bench.menu, played)]


def states_of(menu: Menu, played: ComparedGame) -> list[tuple[PackedState, int, Dealt]]:
    """Each state of a game with the move that was made or tried in it."""
    dealt = menu.deal(played.deck)
    state = menu.compiled.start(dealt)
    found = []
    for number in played.moves:
        found.append((state, number, dealt))
        state = menu.step(dealt, state, number)
    return [*found, *((state, number, dealt) for number in played.tried)]


def _deed(bench: Bench, played: ComparedGame, state: PackedState, number: int, dealt: Dealt) -> Deed:
    menu = bench.menu
    move = menu.moves[number]
    is_legal = number in menu.legal(dealt, state)
    forbidden = () if is_legal else bench.prohibitions.cause(state, tuple(dealt[0]), number)[0]
    hand = menu.hand(state, menu.actor(state))
    face = played.deck[hand[move.slot]] if move.slot is not None and move.slot < len(hand) else ""
    seats = (move.to - menu.actor(state)) % menu.players if move.to is not None else 0
    named = move.suit if move.slot is not None else None
    return Deed(move.kind, face, seats, move.suit is not None, move.take, forbidden, named)


# ---- a deal with which it can be done ----------------------------------------------------------------
def realised(bench: Bench, deeds: Sequence[Deed]) -> ComparedGame | None:
    """A game in which exactly this is done, if there is one and it is legal but for what is forbidden at its end."""
    deck = _deck(bench.menu, deeds)
    return _moves(bench, deck, deeds) if deck is not None else None


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


def _moves(bench: Bench, deck: Sequence[str], deeds: Sequence[Deed]) -> ComparedGame | None:
    menu = bench.menu
    dealt = menu.deal(deck)
    state = menu.compiled.start(dealt)
    moves: list[int] = []
    for position, deed in enumerate(deeds):
        if menu.compiled.ended(state) and not deed.forbidden:
            # With less done before, the game may be over earlier; that may be all the better.
            break
        legal = menu.legal(dealt, state)
        if deed.forbidden:
            tried = [_forbidden(bench, state, dealt, forbidden, legal) for forbidden in deeds[position:]]
            known = tuple(number for number in tried if number is not None)
            return ComparedGame(bench.kind, tuple(deck), tuple(moves), known) if len(known) == len(tried) else None
        number = _matching(menu, state, deck, deed, legal)
        if number is None:
            return None
        moves.append(number)
        state = menu.step(dealt, state, number)
    return ComparedGame(bench.kind, tuple(deck), tuple(moves))


def _forbidden(bench: Bench, state: PackedState, dealt: Dealt, deed: Deed, legal: Sequence[int]) -> int | None:
    """One that is forbidden for this; best for this alone."""
    deal, found = tuple(dealt[0]), []
    for number, move in enumerate(bench.menu.moves):
        if move.kind != deed.kind or number in legal or bench.menu.instance(state, number) is None:
            continue
        if bench.prohibitions.cause(state, deal, number)[0] == deed.forbidden:
            found.append((bench.prohibitions.many(state, deal, number), number))
    return min(found)[1] if found else None


def _matching(menu: Menu, state: PackedState, deck: Sequence[str], deed: Deed, legal: Sequence[int]) -> int | None:
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
