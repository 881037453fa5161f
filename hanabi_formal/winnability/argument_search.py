"""Finding an argument that a deal cannot be won. Whether it is one, the judge says; they share nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from hanabi_formal.judge.arguments.argument import MOST_LEAVES, Argument, Candidates, LastRound, LostFace, Room, Turns
from hanabi_formal.judge.arguments.position import Position

MOST_NODES = 400
FEW = 3
"""Beyond the turns of the last round, that many draws before it are looked at."""


def find_argument(position: Position, turns: bool, display: Sequence[int] | None = None) -> Argument | None:
    """The first that is found, against a certain display if one is given. Without `turns`, one about room only."""
    return _Search(position, turns, display).find()


class _Spent(Exception):
    """The tree grows too large."""


class _Search:
    def __init__(self, position: Position, turns: bool, display: Sequence[int] | None) -> None:
        self.position = position
        self.turns = turns
        self.size = len(position.faces)
        self.now = position.drawn - 1
        self.faces = position.missing(display)
        self.bottom = [f % position.ranks == position.heights[f // position.ranks] for f in self.faces]
        self.holders = [
            frozenset(map(position.seat_of.__getitem__, cards)) if cards and cards[-1] in position.seat_of else None
            for cards in position.copies
        ]
        self.leaves = 0
        self.nodes = 0

    def find(self) -> Argument | None:
        copies = self.position.copies
        for face in self.faces:
            if not copies[face]:
                return LostFace(face)
        try:
            return self._node({face: copies[face] for face in self.faces})
        except _Spent:
            return None

    def _node(self, cards: Candidates) -> Argument | None:
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise _Spent
        first, opened = self._times(cards)
        if self.turns:
            late = self._too_late(opened) or self._last_round(cards, opened)
            if late is not None:
                self._leaf()
                return late
        return self._room(cards, first, opened)

    def _leaf(self) -> None:
        self.leaves += 1
        if self.leaves > MOST_LEAVES:
            raise _Spent

    def _times(self, cards: Candidates) -> tuple[list[int], list[int]]:
        """For each face the first card that could be it, and the card after which it could be played."""
        now, first, opened, below = self.now, [], [], 0
        for face, bottom in zip(self.faces, self.bottom, strict=True):
            card = cards[face][0]
            if card < now:
                card = now
            below = card if bottom or card > below else below
            first.append(card)
            opened.append(below)
        return first, opened

    def _too_late(self, opened: list[int]) -> Turns | None:
        late = [0] * (self.size + 1)
        for card in opened:
            late[card] += 1
        turns = self.position.players if self.now < self.size - 1 else self.position.turns_left
        many = 0
        for card in range(self.size - 1, self.now - 1, -1):
            many += late[card]
            if many > self.size - 1 - card + turns:
                return Turns(card)
        return None

    # ---- room ------------------------------------------------------------------------------------
    def _room(self, cards: Candidates, first: list[int], opened: list[int]) -> Argument | None:
        """The moment with the fewest faces that might be played by a later card; each of them is a branch."""
        size, now, room = self.size, self.now, self.position.room
        waiting, released = [0] * (size + 1), [0] * (size + 1)
        for begins, ends in zip(first, opened, strict=True):
            waiting[begins] += 1  # waits from the next card on ...
            waiting[ends] -= 1  # ... until this one is drawn
            released[ends] += 1
        best: tuple[int, Room, list[int]] | None = None
        held, gained = 0, 0
        for card in range(now + 1, size):
            held += waiting[card - 1]
            gained += released[card - 1] - 1
            if gained < 0:
                gained = 0
            if held + gained < room:
                continue
            many = held
            for since in range(card, now - 1, -1):
                if since < card:
                    many += released[since] - 1  # one may have been played by now
                if many < room:
                    continue
                filling = [
                    f
                    for f, begins, ends in zip(self.faces, first, opened, strict=True)
                    if begins < card and ends >= since
                ]
                movable = [face for face in filling if cards[face][-1] >= card]
                if best is None or len(movable) < best[0]:
                    best = (len(movable), Room(card, since), movable)
            if best is not None and best[0] == 0:
                break
        if best is None:
            return None
        _, leaf, movable = best
        if not movable:
            self._leaf()
            return leaf
        # Those first whose next card is furthest away: what comes after them knows that they are not let go.
        later = {face: tuple(c for c in cards[face] if c >= leaf.card) for face in movable}
        branches: list[tuple[int, Argument]] = []
        known = dict(cards)
        for face in sorted(movable, key=lambda face: -later[face][0]):
            found = self._node({**known, face: later[face]})
            if found is None:
                return None
            branches.append((face, found))
            known[face] = tuple(c for c in cards[face] if c < leaf.card)
        return Room(leaf.card, leaf.since, tuple(branches))

    # ---- the last round --------------------------------------------------------------------------
    def _last_round(self, cards: Candidates, opened: list[int]) -> LastRound | None:
        players, last = self.position.players, self.size - 1
        lowest = max(self.now, last - players - FEW)
        latest = [(f, card) for f, card in zip(self.faces, opened, strict=True) if card >= lowest]
        for since in range(last, lowest - 1, -1):
            late = [f for f, card in latest if card >= since]
            if late and (len(late) > last - since) and not self._can_end(late, cards, last - since):
                return LastRound(since)
        return None

    def _can_end(self, late: list[int], cards: Candidates, draws: int) -> bool:
        players, ranks = self.position.players, self.position.ranks
        by_suit: dict[int, list[int]] = {}
        for face in late:
            by_suit.setdefault(face // ranks, []).append(face)
        chains = list(by_suit.values())
        if self.now == self.size - 1:
            order = [(self.position.turn + turn) % players for turn in range(self.position.turns_left)]
            return self._fits(chains, cards, order, None)
        for cut in product(*(range(len(chain) + 1) for chain in chains)):
            done = sum(cut)
            if done > draws or len(late) - done > players:
                continue
            rest = [chain[many:] for chain, many in zip(chains, cut, strict=True)]
            seats: Iterable[int] = range(players)
            if draws and done == draws:
                ends = [self._held_by(chain[many - 1], cards) for chain, many in zip(chains, cut, strict=True) if many]
                seats = range(players) if None in ends else set[int]().union(*(end for end in ends if end))
            for drawer in seats:
                order = [(drawer + turn) % players for turn in range(1, players + 1)]
                if self._fits(rest, cards, order, drawer):
                    return True
        return False

    def _held_by(self, face: int, cards: Candidates) -> frozenset[int] | None:
        """Who may hold the card that is played, if that is known."""
        if cards[face] == self.position.copies[face]:
            return self.holders[face]
        if cards[face][-1] in self.position.seat_of:
            return frozenset(self.position.seat_of[card] for card in cards[face])
        return None

    def _fits(self, chains: Sequence[list[int]], cards: Candidates, order: list[int], drawer: int | None) -> bool:
        """Whether all chains can be played by these seats, one card each, from below."""
        last = self.size - 1

        def go(turn: int, heads: tuple[int, ...]) -> bool:
            left = sum(map(len, chains)) - sum(heads)
            if not left:
                return True
            if left > len(order) - turn:
                return False
            for number, at in enumerate(heads):
                if at == len(chains[number]):
                    continue
                face = chains[number][at]
                if drawer is not None and cards[face] == (last,):
                    able = order[turn] == drawer
                else:
                    holders = self._held_by(face, cards)
                    able = holders is None or order[turn] in holders
                if able and go(turn + 1, (*heads[:number], at + 1, *heads[number + 1 :])):
                    return True
            return go(turn + 1, heads)

        return go(0, (0,) * len(chains))
