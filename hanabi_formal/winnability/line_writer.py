"""From the plan of a line to the actions of the rules, each taken as it is written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from hanabi_formal.api import State
from hanabi_formal.formats.hanab_live.recorder import Recorder
from hanabi_formal.formats.hanab_live.records import Kind, RecordedAction
from hanabi_formal.judge.arguments.position import Position
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.roles.actions import HINT as HINTED
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.run.faults import Fault
from hanabi_formal.run.follow import follow

PLAY, DISCARD, MISTAKE, HINT, WAIT = "play", "discard", "mistake", "hint", "wait"
MOST_MORE = 200
"""Turns that a game may go on after its last point."""


class Move(NamedTuple):
    """A turn of a plan. `face` is what is played, or what is discarded though it is of use; -1 for a card of no use.

    To wait is to do anything that costs nothing: discard, or else hint.
    """

    kind: str
    face: int = -1


class Line(NamedTuple):
    """A game to its end, as the executor plays it, and its score."""

    actions: tuple[Instance, ...]
    score: int


class Writer:
    """Lines for one game."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.recorder = Recorder(compiled.system)
        patterns = self.recorder.actions.patterns
        self.hint_name = patterns[HINTED].action if HINTED in patterns else None
        cards = range(compiled.system.deck.sort.size if compiled.system.deck is not None else 0)
        self.plays = [self._instance(Kind.PLAY, card) for card in cards]
        self.discards = [self._instance(Kind.DISCARD, card) for card in cards]
        self._hints: dict[tuple[int, int], Instance | None] = {}

    def hint(self, mate: int, value: int) -> Instance | None:
        if (mate, value) not in self._hints:
            self._hints[mate, value] = self._instance(Kind.VALUE_HINT, mate, value)
        return self._hints[mate, value]

    def _instance(self, kind: Kind, target: int, value: int = 0) -> Instance | None:
        """An action of the rules, if they have it."""
        found = self.recorder.played(RecordedAction(kind, target, value))
        return None if found is None else found

    def write(
        self,
        state: State,
        position: Position,
        moves: Iterable[Move],
        goal: int,
        used: Collection[int] | None = None,
        display: Sequence[int] | None = None,
    ) -> Line | None:
        """The actions of a game to its end, with at least `goal` points; None if the plan cannot be played so.

        `used` are the cards that the plan will play, if it says so, `display` is how high it builds each suit; all
        other cards are of no use.
        """
        walk = _Walk(self, state, position, used, display)
        try:
            for move in moves:
                if self.compiled.ended(walk.packed):
                    break
                if not walk.take(move):
                    return None
            for _ in range(MOST_MORE):
                if self.compiled.ended(walk.packed):
                    break
                if not walk.wait():
                    return None
        except Fault:
            return None
        score = self.compiled.score(state.dealt, walk.packed) if self.compiled.ended(walk.packed) else -1
        return Line(tuple(walk.actions), score) if score >= goal else None

    def follow(self, state: State, actions: Sequence[Instance]) -> Line | None:
        """A line that is written already, if it is a game to its end."""
        states = [packed for _, packed in follow(self.compiled, state.dealt, state.packed, actions)]
        last = states[-1] if states else state.packed
        if len(states) < len(actions) or not self.compiled.ended(last):
            return None
        return Line(tuple(actions), self.compiled.score(state.dealt, last))


class _Walk:
    def __init__(
        self,
        writer: Writer,
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

    def take(self, move: Move) -> bool:
        """One turn; False if no such action is legal."""
        kind, face = move
        if kind == PLAY:
            card = self._of_face(face)
            return self._discard(card) or self._play(card) if self._is_played(face) else self._play(card)
        if kind == HINT:
            return self._hint()
        if kind == WAIT:
            return self.wait()
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

    def wait(self) -> bool:
        """A turn that must not cost anything."""
        return self._discard(next(self._useless(), None)) or self._hint()

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

    def _play(self, card: int | None) -> bool:
        if card is None or not self._act(self.writer.plays[card]):
            return False
        if self._fits(card):
            self.heights[self.faces[card] // self.ranks] += 1
        self._leave(card)
        return True

    def _discard(self, card: int | None) -> bool:
        if card is None or not self._act(self.writer.discards[card]):
            return False
        self._leave(card)
        return True

    def _leave(self, card: int) -> None:
        hand = self.hands[self.seat]
        hand.remove(card)
        if self.drawn < len(self.faces):
            hand.append(self.drawn)
            self.drawn += 1
        self._pass_turn()

    def _hint(self) -> bool:
        """The value of somebody's card; or whatever hint is legal."""
        players = len(self.hands)
        for other in range(1, players):
            mate = (self.seat + other) % players
            if self.hands[mate]:
                value = self.first_rank + self.faces[self.hands[mate][0]] % self.ranks
                if self._act(self.writer.hint(mate, value)):
                    self._pass_turn()
                    return True
                break
        for code in self.compiled.legal(self.dealt, self.packed):
            instance = self.compiled.decode(self.packed, code)
            if instance.name == self.writer.hint_name:
                self._act(instance)
                self._pass_turn()
                return True
        return False

    def _pass_turn(self) -> None:
        self.seat = (self.seat + 1) % len(self.hands)

    def _act(self, instance: Instance | None) -> bool:
        if instance is None:
            return False
        code = self.compiled.encode(self.dealt, self.packed, instance)
        if code is None:
            return False
        self.packed = self.compiled.step(self.dealt, self.packed, code)
        self.actions.append(instance)
        return True
