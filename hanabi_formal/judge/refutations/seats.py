"""A deal as clauses, indexed by the cards that leave hands instead of by turns.

Whoever's card leaves draws the next one, so who acts when a card leaves says who holds which card. After the last draw
everybody has one turn. What the clauses say of a game:

- each face is played by at most one of its cards, from below, by the seat that holds the card;
- one card leaves at a time; it is played, or it is none that will be played;
- a hand never holds more cards that are still to be played than it has places, nor do all hands together.

Every won game satisfies them, if the rules have what `spec/needs/turns.hrl` asks for (docs/winnable.md): hints cost
nothing here, so a solution need not be a game, but no solution means no game. With `tokens` the clauses also count blue
tokens and mistakes until the last card is drawn or the game is over; every won game satisfies those too, if the rules
have what `spec/needs/tokens.hrl` asks for; or, if cards may be discarded `at_full`, what `spending.hrl` does.
"""

from __future__ import annotations

from itertools import pairwise

from hanabi_formal.judge.arguments.position import Position
from hanabi_formal.judge.refutations.cnf import TRUE, ClauseBuilder


def can_be_seated(position: Position) -> bool:
    """Are there hands to hold cards, and turns to come? Else the clauses have nothing to speak of."""
    return position.hand_size > 0 and (position.drawn < len(position.faces) or position.turns_left > 0)


class Seats:
    """The clauses, and what their variables mean. `goal` is the number of cards on the fireworks at the end.

    With `tokens`, a game may also be over before the last card is drawn. With `at_full` cards may be discarded though
    all tokens are there; then they are at least as many as there really are.
    """

    def __init__(self, position: Position, goal: int, tokens: bool = False, at_full: bool = False) -> None:
        self.position = position
        self.cnf = ClauseBuilder()
        self.draws = len(position.faces) - position.drawn
        last_turns = position.players if self.draws else position.turns_left
        self.steps = self.draws + last_turns
        self.faces = [f for f in range(position.suits * position.ranks) if not position.is_played(f)]
        self.missing = sum(position.heights) + len(self.faces) - goal
        self.perfect = not self.missing
        self._choose_cards()
        self._choose_actors()
        self._play()
        self._hold()
        self._hold_together()
        self.tokens = Tokens(self, at_full) if tokens else None

    # ---- what there is to choose -----------------------------------------------------------------
    def _choose_cards(self) -> None:
        """`used[card]`: the face is played by this card."""
        self.used = [-TRUE] * len(self.position.faces)
        for face in self.faces:
            copies = self.position.copies[face]
            if self.perfect and len(copies) == 1:
                self.used[copies[0]] = TRUE
                continue
            for card in copies:
                self.used[card] = self.cnf.new()
            self.cnf.at_most_one([self.used[card] for card in copies])

    def _choose_actors(self) -> None:
        """`acts[step][seat]`: whose card leaves. From the last draw on, who acts follows."""
        players = self.position.players
        self.acts: list[list[int]] = []
        for _ in range(self.draws):
            acts = self.cnf.many(players)
            self.cnf.add(*acts)
            self.cnf.at_most_one(acts)
            self.acts.append(acts)
        for turn in range(self.steps - self.draws):
            if self.draws:
                drawer = self.acts[self.draws - 1]
                self.acts.append([drawer[(seat - turn - 1) % players] for seat in range(players)])
            else:
                actor = (self.position.turn + turn) % players
                self.acts.append([TRUE if seat == actor else -TRUE for seat in range(players)])

    def holder(self, card: int) -> list[int]:
        """For each seat, whether it comes to hold the card."""
        if card >= self.position.drawn:
            return self.acts[card - self.position.drawn]
        return [TRUE if seat == self.position.seat_of[card] else -TRUE for seat in range(self.position.players)]

    # ---- what follows ----------------------------------------------------------------------------
    def _play(self) -> None:
        """`done[face][step]`: played by then. `plays[face][step]`: played then."""
        cnf, steps = self.cnf, range(self.steps)
        self.done = {face: cnf.many(self.steps) for face in self.faces}
        self.plays = {face: cnf.many(self.steps) for face in self.faces}
        for face in self.faces:
            done, plays = self.done[face], self.plays[face]
            below = self.done.get(face - 1) if face % self.position.ranks else None
            for step in steps:
                before = done[step - 1] if step else -TRUE
                cnf.add(-before, done[step])
                cnf.add(-plays[step], done[step])
                cnf.add(-plays[step], -before)
                cnf.add(-done[step], before, plays[step])
                if below is not None:
                    cnf.add(-done[step], below[step - 1] if step else -TRUE)
            cnf.add(-done[-1], *(self.used[card] for card in self.position.copies[face]))
            for card in self.position.copies[face]:
                self._by_holder(plays, card)
        # One card at a time, and in the end enough of them.
        self.is_play = cnf.many(self.steps)
        for step in steps:
            plays_now = [self.plays[face][step] for face in self.faces]
            cnf.add(-self.is_play[step], *plays_now)
            for literal in plays_now:
                cnf.add(-literal, self.is_play[step])
            cnf.at_most_one(plays_now)
        cnf.at_most([-self.done[face][-1] for face in self.faces], self.missing)

    def _by_holder(self, plays: list[int], card: int) -> None:
        held_from = max(0, card - self.position.drawn + 1)
        used, holder = self.used[card], self.holder(card)
        for step in range(self.steps):
            if step < held_from:
                self.cnf.add(-plays[step], -used)
                continue
            for acts, holds in zip(self.acts[step], holder, strict=True):
                if acts != holds:  # who draws the last card acts last, too
                    self.cnf.add(-plays[step], -used, -acts, holds)

    def _hold(self) -> None:
        """How many cards of each hand are still to be played: `waits[seat][n]`, more than n."""
        cnf, size = self.cnf, self.position.hand_size
        for seat, hand in enumerate(self.position.hands):
            waits = cnf.at_most([self.used[card] for card in hand], size)
            waits += [-TRUE] * (size - len(waits))
            for step in range(self.draws):
                acts, plays, drawn = self.acts[step][seat], self.is_play[step], self.used[self.position.drawn + step]
                # Nothing is put down that is to be played.
                cnf.add(-acts, plays, -waits[size - 1])
                following = cnf.many(size)
                for more in range(size):
                    cnf.add(acts, -waits[more], following[more])
                    cnf.add(plays, -waits[more], following[more])
                    cnf.add(-waits[more], -drawn, following[more])
                    if more:
                        cnf.add(-waits[more], following[more - 1])
                    if more + 1 < size:
                        cnf.add(-acts, plays, -waits[more], -drawn, following[more + 1])
                cnf.add(-acts, -drawn, following[0])
                waits = following

    def _hold_together(self) -> None:
        """Cards that were drawn, and are to be played, are played already or in one of all hands' places.

        It follows from what is said of each hand, but from this a solver sees much sooner that there is too little
        room. `drawn[n]` is true if more than n cards of those drawn by now are to be played, `played[n]` only if more
        than n were played by now.
        """
        cnf, room = self.cnf, self.position.room
        spare = len(self.faces) - room
        if spare <= 0:
            return
        drawn, played = [-TRUE] * len(self.faces), [-TRUE] * spare
        for card in range(self.position.drawn):
            drawn = cnf.counted(drawn, self.used[card])
        for step in range(self.draws):
            drawn = cnf.counted(drawn, self.used[self.position.drawn + step])
            following = cnf.many(spare)
            for more in range(spare):
                cnf.add(-following[more], played[more], self.is_play[step])
                cnf.add(-following[more], played[more], played[more - 1] if more else TRUE)
                cnf.add(-drawn[room + more], following[more])
            played = following


class Tokens:
    """Blue tokens and mistakes, counted too. `hints[step][n]`: n hints come before this card leaves.

    `over[step]`: the game is over before it does. Nothing is played then, and whatever else happens is no mistake.
    """

    def __init__(self, seats: Seats, at_full: bool) -> None:
        self.seats = seats
        self.at_full = at_full
        self.position = seats.position
        self.cnf = seats.cnf
        self.over = self.cnf.many(seats.draws + 1)
        for step in range(seats.steps):
            self.cnf.add(-self.over[min(step, seats.draws)], -seats.is_play[step])
        for before, after in pairwise(self.over):
            self.cnf.add(-before, after)
        self.hints: list[list[int]] = []
        self.discards: list[int] = []
        limit = self.position.token_limit
        left = [TRUE if more < self.position.tokens else -TRUE for more in range(limit)]
        mistakes: list[int] = []
        for step in range(seats.draws):
            left = self._step(step, left, mistakes)
        self.cnf.at_most(mistakes, max(0, self.position.mistakes - 1))

    def _step(self, step: int, left: list[int], mistakes: list[int]) -> list[int]:
        cnf, limit = self.cnf, self.position.token_limit
        hints = self._hints_between(step)
        self.hints.append(hints)
        at_hand = cnf.many(limit)
        for many, literal in enumerate(hints):
            if many:
                cnf.add(-literal, left[many - 1])
            for more in range(limit):
                before = left[more + many] if more + many < limit else -TRUE
                cnf.add(-literal, -at_hand[more], before)
                cnf.add(-literal, at_hand[more], -before)
        discard, mistake, plays = cnf.new(), cnf.new(), self.seats.is_play[step]
        self.discards.append(discard)
        cnf.add(plays, discard, mistake)
        cnf.at_most_one([plays, discard, mistake])
        if not self.at_full:
            cnf.add(-discard, -at_hand[limit - 1] if limit else -TRUE)
        ranks = self.position.ranks
        tops = [self.seats.plays[face][step] for face in self.seats.faces if face % ranks == ranks - 1]
        gains = cnf.new()
        cnf.add(-gains, discard, *tops)
        for literal in (discard, *tops):
            cnf.add(-literal, gains)
        following = cnf.many(limit)
        for more in range(limit):
            one_less = at_hand[more - 1] if more else TRUE
            cnf.add(-at_hand[more], following[more])
            cnf.add(-gains, -one_less, following[more])
            cnf.add(-following[more], at_hand[more], gains)
            cnf.add(-following[more], at_hand[more], one_less)
        counted = cnf.new()  # the mistake that ends the game is not
        cnf.add(-mistake, self.over[step + 1], counted)
        mistakes.append(counted)
        return following

    def _hints_between(self, step: int) -> list[int]:
        """As many as there are seats between, or once around more, and so on, as long as there are tokens."""
        players, acts = self.position.players, self.seats.acts
        hints = self.cnf.many(self.position.token_limit + 1)
        self.cnf.add(*hints)
        self.cnf.at_most_one(hints)
        for many, literal in enumerate(hints):
            for seat in range(players):
                if not step:
                    if (self.position.turn + many) % players != seat:
                        self.cnf.add(-literal, -acts[0][seat])
                    continue
                for before in range(players):
                    if (before + 1 + many) % players != seat:
                        self.cnf.add(-literal, -acts[step - 1][before], -acts[step][seat])
        return hints
