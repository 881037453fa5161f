"""Arguments that a deal cannot be won, in the game's own terms, and their judge.

Every face must be played, by one of its cards. A node of the argument knows, for each face, which cards that may be;
from the first of them follows when the face can be played at the earliest. Four things are then impossible:

- *lost*: all cards of a face are gone;
- *room*: when card `card` has just been drawn, the hands hold it and all faces that were drawn before it, cannot have
  been played by then, and are needed; and they hold too few cards;
- *turns*: more faces can be played only after card `since` was drawn than cards can leave the hands from there on;
- *last round*: once the last card is drawn everybody acts once, in turn, and what must be played then does not fit.

An argument of room may be split: if it fails only because some face may be played by a later card, there is a branch
for each such face, in which it is, and those before it are not. What all this needs of the rules is in `spec/needs/`;
the proofs are in docs/winnable.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from hanabi_formal.judge.arguments.position import Position
from hanabi_formal.judge.refutations.lrat import Refused

Candidates = Mapping[int, tuple[int, ...]]
"""For each face that is to be played, the cards that may be the one."""
MOST_LEAVES = 50
MOST_WAYS = 200_000


@dataclass(frozen=True)
class LostFace:
    face: int


@dataclass(frozen=True)
class Room:
    card: int
    since: int
    later: tuple[tuple[int, Argument], ...] = ()


@dataclass(frozen=True)
class Turns:
    since: int


@dataclass(frozen=True)
class LastRound:
    since: int


Argument = LostFace | Room | Turns | LastRound


def leaves(argument: Argument) -> Iterator[Argument]:
    match argument:
        case Room(later=branches) if branches:
            for _, branch in branches:
                yield from leaves(branch)
        case _:
            yield argument


def needs_turns(argument: Argument) -> bool:
    """Whether it speaks of turns; else where cards are is all it needs to know."""
    return any(isinstance(leaf, Turns | LastRound) for leaf in leaves(argument))


def opening_cards(position: Position, faces: Sequence[int], cards: Candidates) -> dict[int, int]:
    """For each of the faces, from below, the card that must have been drawn before it can be played."""
    found: dict[int, int] = {}
    now = position.drawn - 1
    for face in faces:
        below = found.get(face - 1, now) if face % position.ranks else now
        found[face] = max(below, min(cards[face]))
    return found


class ArgumentJudge:
    """Whether an argument shows that no game from a position is ever won; or has a certain display, if one is given."""

    def __init__(self, position: Position, display: Sequence[int] | None = None) -> None:
        self.position = position
        self.last = len(position.faces) - 1
        self.now = position.drawn - 1
        self.faces = position.missing(display)
        self.ways = 0

    def accept(self, argument: Argument) -> None:
        """Silently, or `Refused`."""
        if sum(1 for _ in leaves(argument)) > MOST_LEAVES:
            raise Refused(f"it has more than {MOST_LEAVES} leaves")
        cards = {face: self.position.copies[face] for face in self.faces}
        lost = {face for face, copies in cards.items() if not copies}
        if isinstance(argument, LostFace):
            if argument.face not in lost:
                raise Refused("there is another card of the face that is said to be lost")
        elif lost:
            raise Refused("a face is lost, and it says nothing of that")
        else:
            self._node(argument, cards)

    def _node(self, argument: Argument, cards: Candidates) -> None:
        match argument:
            case Room():
                self._room(argument, cards)
            case Turns(since):
                self._turns(since, cards)
            case LastRound(since):
                self._last_round(since, cards)
            case LostFace():
                raise Refused("no more cards are lost in a branch")

    def _room(self, claim: Room, cards: Candidates) -> None:
        if not (self.position.drawn <= claim.card <= self.last and self.now <= claim.since <= claim.card):
            raise Refused(f"no card {claim.card + 1} is drawn after card {claim.since + 1}")
        earliest = opening_cards(self.position, self.faces, cards)
        held = [f for f in self.faces if min(cards[f]) < claim.card and earliest[f] >= claim.since]
        # Of those, one may have been played whenever a card was drawn since.
        least = len(held) - (claim.card - claim.since) + 1
        if least <= self.position.room:
            raise Refused(f"when card {claim.card + 1} is drawn, {least} cards fill {self.position.room} places")
        movable = {face for face in held if max(cards[face]) >= claim.card}
        branches = dict(claim.later)
        if len(branches) != len(claim.later) or branches.keys() != movable:
            raise Refused(f"when card {claim.card + 1} is drawn, other faces than it says may be played by later cards")
        # The first of them that is played by a later card; those before it are not.
        known = dict(cards)
        for face, branch in claim.later:
            self._node(branch, {**known, face: tuple(c for c in cards[face] if c >= claim.card)})
            known[face] = tuple(c for c in cards[face] if c < claim.card)

    def _turns(self, since: int, cards: Candidates) -> None:
        self._check_since(since)
        late = sum(1 for at in opening_cards(self.position, self.faces, cards).values() if at >= since)
        leave = self.last - since + (self.position.players if since < self.last else self.position.turns_left)
        if late <= leave:
            raise Refused(f"{late} faces are to be played after card {since + 1}, and {leave} cards can be")

    def _last_round(self, since: int, cards: Candidates) -> None:
        self._check_since(since)
        earliest = opening_cards(self.position, self.faces, cards)
        ranks = self.position.ranks
        chains = [
            [f for f in self.faces if f // ranks == suit and earliest[f] >= since]
            for suit in range(self.position.suits)
        ]
        chains = [chain for chain in chains if chain]
        if self.now == self.last:
            seats = [(self.position.turn + turn) % self.position.players for turn in range(self.position.turns_left)]
            self._refuse_if_fits(chains, cards, seats)
            return
        draws = self.last - since
        for cut in product(*(range(len(chain) + 1) for chain in chains)):
            before = sum(cut)
            if before > draws:
                continue
            rest = [chain[done:] for chain, done in zip(chains, cut, strict=True)]
            drawers: set[int] = set()
            if before < draws or not draws:
                drawers.update(range(self.position.players))
            else:  # The last draw followed one of these plays.
                for chain, done in zip(chains, cut, strict=True):
                    if done:
                        drawers |= self._seats(cards[chain[done - 1]], None)
            for drawer in drawers:
                seats = [(drawer + turn) % self.position.players for turn in range(1, self.position.players + 1)]
                self._refuse_if_fits(rest, cards, seats)

    def _check_since(self, since: int) -> None:
        if not self.now <= since <= self.last:
            raise Refused(f"card {since + 1} is not drawn from here on")

    def _seats(self, copies: tuple[int, ...], drawer: int | None) -> set[int]:
        """Who may hold the card that is played: known for cards in hands, and for the last one."""
        found: set[int] = set()
        for card in copies:
            if card in self.position.seat_of:
                found.add(self.position.seat_of[card])
            elif card == self.last and drawer is not None:
                found.add(drawer)
            else:
                return set(range(self.position.players))
        return found

    def _refuse_if_fits(self, chains: Sequence[Sequence[int]], cards: Candidates, seats: Sequence[int]) -> None:
        drawer = seats[-1] if self.now < self.last else None
        holders = {face: self._seats(cards[face], drawer) for chain in chains for face in chain}

        def fits(turn: int, done: tuple[int, ...]) -> bool:
            self.ways += 1
            if self.ways > MOST_WAYS:
                raise Refused("there are too many ways to play the last round")
            left = sum(len(chain) - place for chain, place in zip(chains, done, strict=True))
            if left == 0 or left > len(seats) - turn:
                return left == 0
            for number, (chain, place) in enumerate(zip(chains, done, strict=True)):
                able = place < len(chain) and seats[turn] in holders[chain[place]]
                if able and fits(turn + 1, (*done[:number], place + 1, *done[number + 1 :])):
                    return True
            return fits(turn + 1, done)

        if fits(0, (0,) * len(chains)):
            raise Refused("all that is left can be played in the last round")
