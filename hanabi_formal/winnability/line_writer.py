"""From a line of the abstract game to the actions of the rules, each taken by the executor as it is written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, repeat
from typing import NamedTuple

from hanabi_formal.api import State
from hanabi_formal.formats.hanab_live.recorder import ActionRecorder
from hanabi_formal.judge.arguments.position import Position
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.run.faults import Fault
from hanabi_formal.run.follow import after, follow
from hanabi_formal.winnability.abstract_game import DISCARD, HINT, PLAY, TO_WAIT, WAIT, AbstractAction

MOST_MORE = 200
"""Turns that a game may go on after its last point."""


class PlayedLine(NamedTuple):
    """A game to its end, as the executor plays it, and its score."""

    actions: tuple[Instance, ...]
    score: int


class LineWriter:
    """Lines for one game."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.recorder = ActionRecorder(compiled.system)
        cards = range(compiled.system.deck.sort.size if compiled.system.deck is not None else 0)
        self.plays = [self.recorder.play(card) for card in cards]
        self.discards = [self.recorder.discard(card) for card in cards]
        self.rank_hint = cache(self.recorder.rank_hint)

    def write(
        self,
        state: State,
        position: Position,
        plan: Iterable[AbstractAction],
        goal: int,
        used: Collection[int] | None = None,
        display: Sequence[int] | None = None,
    ) -> PlayedLine | None:
        """The actions of a game to its end, with at least `goal` points; None if the plan cannot be played so.

        `used` are the cards that the plan will play, if it says so, `display` is how high it builds each suit; all
        other cards are of no use.
        """
        walk = _Walk(self, state, position, used, display)
        ended = self.compiled.ended
        try:
            for action in chain(plan, repeat(TO_WAIT, MOST_MORE)):
                if ended(walk.packed):
                    break
                if not walk.take(action):
                    return None
        except Fault:
            return None
        score = self.compiled.score(state.dealt, walk.packed) if ended(walk.packed) else -1
        return PlayedLine(tuple(walk.actions), score) if score >= goal else None

    def follow(self, state: State, actions: Sequence[Instance]) -> PlayedLine | None:
        """A line that is written already, if it is a game to its end."""
        states = [packed for _, packed in follow(self.compiled, state.dealt, state.packed, actions)]
        last = states[-1] if states else state.packed
        if len(states) < len(actions) or not self.compiled.ended(last):
            return None
        return PlayedLine(tuple(actions), self.compiled.score(state.dealt, last))


class _Walk:
    """The executor's state, and beside it what of the position the plan is about: hands, heights, whose turn it is."""

    def __init__(
        self,
        writer: LineWriter,
        state: State,
        position: Position,
        used: Collection[int] | None,
        display: Sequence[int] | None,
    ) -> None:
        self.writer = writer
        self.compiled = writer.compiled
        self.dealt = state.dealt
        self.packed = state.packed
        self.used = used
        self.faces = position.faces
        self.ranks = position.ranks
        self.first_rank = position.first_rank
        self.hands = [list(hand) for hand in position.hands]
        self.heights = list(position.heights)
        self.tops = display or [position.ranks] * position.suits
        self.seat = position.turn
        self.drawn = position.drawn
        self.actions: list[Instance] = []

    def take(self, action: AbstractAction) -> bool:
        """One turn; False if no such action is legal."""
        kind, face = action
        if kind == PLAY:
            card = self._of_face(face)
            return self._discard(card) or self._play(card) if self._is_played(face) else self._play(card)
        if kind == HINT:
            return self._hint()
        if kind == WAIT:
            return self._discard(next(self._useless(), None)) or self._hint()
        if kind == DISCARD and face >= 0:
            return self._discard(self._of_face(face))
        return self._put_down()

    def _put_down(self) -> bool:
        """A card of no use, by discarding it, or else by playing it, rather one that does not fit.

        A discard where the plan has a mistake leaves a token more, and so a mistake for a discard that is not legal.
        If the card fits, the one that was to be played instead is of no use later.
        """
        if self._discard(next(self._useless(), None)):
            return True
        return self._play(min(self._useless(), key=self._fits, default=None))

    def _of_face(self, face: int) -> int | None:
        found = None
        for card in self.hands[self.seat]:
            if self.faces[card] == face:
                if self.used is None or card in self.used:
                    return card
                found = card if found is None else found
        return found

    def _useless(self) -> Iterator[int]:
        """Cards of the hand, those first that are of no use; in the end any."""
        hand, faces, ranks = self.hands[self.seat], self.faces, self.ranks
        heights, tops = self.heights, self.tops
        if self.used is not None:
            yield from (card for card in hand if card not in self.used)
            return
        for card in hand:
            suit, rank = divmod(faces[card], ranks)
            if rank < heights[suit] or rank >= tops[suit]:
                yield card
        seen = set()
        for card in hand:
            if faces[card] in seen:
                yield card
            seen.add(faces[card])
        if self.drawn == len(faces):
            yield from hand

    def _is_played(self, face: int) -> bool:
        return face % self.ranks < self.heights[face // self.ranks]

    def _fits(self, card: int) -> bool:
        suit, rank = divmod(self.faces[card], self.ranks)
        return rank == self.heights[suit]

    def _hint(self) -> bool:
        """The value of somebody's card; or whatever hint is legal."""
        players = len(self.hands)
        for other in range(1, players):
            mate = (self.seat + other) % players
            if self.hands[mate]:
                value = self.first_rank + self.faces[self.hands[mate][0]] % self.ranks
                if self._act(self.writer.rank_hint(mate, value)):
                    return True
                break
        legal = State(self.compiled, self.dealt, self.packed).legal()
        return self._act(next((action for action in legal if action.name == self.writer.recorder.hint_name), None))

    def _play(self, card: int | None) -> bool:
        if card is None or not self._act(self.writer.plays[card], card):
            return False
        if self._fits(card):
            self.heights[self.faces[card] // self.ranks] += 1
        return True

    def _discard(self, card: int | None) -> bool:
        return card is not None and self._act(self.writer.discards[card], card)

    def _act(self, action: Instance | None, card: int | None = None) -> bool:
        """One turn, if the rules have such an action and it is legal; `card` leaves the hand."""
        packed = after(self.compiled, self.dealt, self.packed, action) if action is not None else None
        if action is None or packed is None:
            return False
        self.packed = packed
        self.actions.append(action)
        if card is not None:
            hand = self.hands[self.seat]
            hand.remove(card)
            if self.drawn < len(self.faces):
                hand.append(self.drawn)
                self.drawn += 1
        self.seat = (self.seat + 1) % len(self.hands)
        return True
