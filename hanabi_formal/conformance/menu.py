"""The rules' own side of a comparison: their states as what lies on the table, their actions as moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from hanabi_formal.api import Game
from hanabi_formal.conformance.messages import ProtocolMove, Seen, Setup
from hanabi_formal.formats.faces import deck_of, face_names, letters, sorted_faces
from hanabi_formal.formats.hanab_live.deck_numbers import has_suits_and_ranks
from hanabi_formal.kernel.expr import Lit
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import BOOL, show_value
from hanabi_formal.roles.actions import (
    ABANDON,
    ANNOUNCE,
    DECK_PLAY,
    DISCARD,
    HINT,
    PASS,
    PLAY,
    Colour,
    DeclaredActions,
    Rank,
)
from hanabi_formal.roles.entries import Undeclared, roles_of
from hanabi_formal.roles.table import Table
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState
from hanabi_formal.run.compiler.layout import bits_in

NO_MOVE = -1
Chooser = Callable[[Dealt, PackedState, Sequence[int]], int | None]
"""Which of the legal moves is made; None to stop."""


@dataclass(frozen=True)
class WithCard:
    """An action with a card of the hand. `args` are its arguments, None in the place of the card."""

    action: str
    args: tuple[int | None, ...]

    def of(self, card: int) -> Instance:
        return Instance(self.action, tuple(card if arg is None else arg for arg in self.args))


class Menu:
    """For one game and number of players. Moves that an implementation does not know are left out of it."""

    def __init__(self, game: Game, players: int, knows: frozenset[str]) -> None:
        self.game = game
        self.players = players
        self.compiled: Compiled = game.compiled(players)
        self.system: System = self.compiled.system
        self.actions = DeclaredActions(self.system)
        check_comparable(self.system)
        self.table = Table(self.compiled)
        self.faces = face_names(self.system)
        self._face_of = {name: face for face, name in enumerate(self.faces)}
        deck = deck_of(self.system)
        self._suits = sorted({suit for suit, _ in deck.faces})
        """The suits that have cards."""
        self._suit_of = tuple(self._suits.index(suit) for suit, _ in deck.faces)
        """For each face, which of them it belongs to."""
        self._moves: list[ProtocolMove] = []
        self._other_colours: list[str] = []
        self._instances: list[Instance | WithCard] = []
        self._numbers: list[dict[int, int]] = [{} for _ in range(players)]
        self._asked: tuple[Dealt | None, PackedState, dict[int, int]] = (None, (), {})
        first = self.compiled.start(self.compiled.deal(self.some_deal))
        self.hand_size = len(self.hand(first, 0))
        self._list_moves(knows)
        self.setup = self._setup(first)

    @cached_property
    def some_deal(self) -> list[int]:
        """Every card once, face by face."""
        return sorted_faces(self.system)

    def actor(self, state: PackedState) -> int:
        return self.table.turn(state)

    def hand(self, state: PackedState, seat: int) -> tuple[int, ...]:
        """The numbers of the cards that a seat holds, oldest first."""
        return self.table.hands[seat](state)

    def seen(self, dealt: Dealt, names: Sequence[str], state: PackedState) -> Seen:
        """`names` are the texts of the cards of this deal."""
        table, faces = self.table, dealt[0]
        heights = [0] * len(self._suits)
        for card in bits_in(table.fireworks(state)):
            heights[self._suit_of[faces[card]]] += 1
        over = state[-1] > 0
        return Seen(
            tuple([tuple([names[card] for card in hand(state)]) for hand in table.hands]),
            tuple(heights),
            tuple(sorted([names[card] for card in bits_in(table.discards(state))])),
            len(faces) - table.drawn(state),
            table.blue(state),
            table.red(state),
            None if over else table.turn(state),
            self.compiled.score(dealt, state),
            over,
        )

    # ---- moves ---------------------------------------------------------------------------------------
    def _list_moves(self, knows: frozenset[str]) -> None:
        for take in (True, False) if "take" in knows else (True,):
            for kind, slot in product((PLAY, DISCARD), range(self.hand_size)):
                self._add_with_card(ProtocolMove(kind, slot, take=take))
            if ANNOUNCE in knows and ANNOUNCE in self.actions.patterns:
                for slot, suit in product(range(self.hand_size), range(len(self._suits))):
                    self._add_with_card(ProtocolMove(ANNOUNCE, slot, suit=suit, take=take))
        for seat, (about, subject) in product(range(self.players), self.actions.subjects.items()):
            move = ProtocolMove(HINT, to=seat)
            said = move._replace(rank=subject.rank) if isinstance(subject, Rank) else self._about(move, subject)
            instance = self.actions.made(HINT, seat, about)
            if instance is not None:
                self._add(said, instance)
        for name in (PASS, ABANDON, DECK_PLAY):
            action = self.actions.made(name)
            if action is not None and name in knows:
                self._add(ProtocolMove(name), action)

    def _about(self, hint: ProtocolMove, colour: Colour) -> ProtocolMove:
        """Colours that are no suits, or suits without cards, are numbered after the suits."""
        if colour.suit in self._suits:
            return hint._replace(suit=self._suits.index(colour.suit))
        if colour.name not in self._other_colours:
            self._other_colours.append(colour.name)
        return hint._replace(suit=len(self._suits) + self._other_colours.index(colour.name))

    def _add_with_card(self, move: ProtocolMove) -> None:
        """An action with a card and perhaps a suit; if the token is declined, one that takes no token is none."""
        pattern, deck = self.actions.patterns[move.kind], deck_of(self.system)
        params = self.system.action(pattern.action).params
        args: list[int | None] = []
        for param, arg in zip(params, pattern.args, strict=True):
            if isinstance(arg, Lit):
                args.append(int(move.take) if param.type == BOOL else arg.value)
            elif param.type == deck.attributes[0][1] and move.suit is not None:
                args.append(self._suits[move.suit])
            elif param.type == deck.sort:
                args.append(None)
        is_whole = len(args) == len(params) and args.count(None) == 1
        if is_whole and (move.take or any(isinstance(arg, Lit) and arg.type == BOOL for arg in pattern.args)):
            self._add(move, WithCard(pattern.action, tuple(args)))

    def _add(self, move: ProtocolMove, instance: Instance | WithCard) -> None:
        self._moves.append(move)
        self._instances.append(instance)

    @property
    def moves(self) -> tuple[ProtocolMove, ...]:
        return self.setup.moves

    @cached_property
    def _by_action(self) -> dict[tuple[Instance | WithCard, int | None], int]:
        """The number of each move by its action and its slot, if it has one."""
        pairs = zip(self._instances, self._moves, strict=True)
        return {(instance, move.slot): number for number, (instance, move) in enumerate(pairs)}

    @cached_property
    def _place_of_card(self) -> dict[str, int]:
        return {i.action: i.args.index(None) for i in self._instances if isinstance(i, WithCard)}

    def legal(self, dealt: Dealt, state: PackedState) -> tuple[int, ...]:
        """The numbers of the legal moves. What an implementation has no move for is not among them."""
        return tuple(self._codes(dealt, state))

    def step(self, dealt: Dealt, state: PackedState, move: int) -> PackedState:
        """The state after a legal move."""
        return self.compiled.step(dealt, state, self._codes(dealt, state)[move])

    def steps(self, dealt: Dealt, states: Sequence[PackedState], move: int) -> list[PackedState]:
        """The same for states in which the same moves are legal."""
        code = self._codes(dealt, states[0])[move]
        return [self.compiled.step(dealt, state, code) for state in states]

    def _codes(self, dealt: Dealt, state: PackedState) -> dict[int, int]:
        """The legal moves, each with the number that the executor has for it."""
        if self._asked[0] is not dealt or self._asked[1] is not state:
            known, codes = self._numbers[self.actor(state)], self.compiled.legal(dealt, state)
            for code in codes:
                if code not in known:
                    # What a code means is the same in every state in which a seat acts: a slot, or a hint.
                    found = self.move_of(state, self.compiled.decode(state, code))
                    known[code] = NO_MOVE if found is None else found
            numbered = {known[code]: code for code in codes}
            numbered.pop(NO_MOVE, None)
            self._asked = dealt, state, numbered
        return self._asked[2]

    def move_of(self, state: PackedState, action: Instance) -> int | None:
        """The number of the move that an action is; None if it is none that can be said."""
        fixed = self._by_action.get((action, None))
        if fixed is not None:
            return fixed
        place, hand = self._place_of_card.get(action.name), self.hand(state, self.actor(state))
        if place is None or action.args[place] not in hand:
            return None
        others = WithCard(action.name, (*action.args[:place], None, *action.args[place + 1 :]))
        return self._by_action.get((others, hand.index(action.args[place])))

    def instance(self, state: PackedState, number: int) -> Instance | None:
        """A move as an action of the rules, legal or not; None if there is no card in that slot."""
        found = self._instances[number]
        if isinstance(found, Instance):
            return found
        slot = self._moves[number].slot
        hand = self.hand(state, self.actor(state))
        return None if slot is None or slot >= len(hand) else found.of(hand[slot])

    def action(self, state: PackedState, number: int) -> Instance:
        """A legal move as an action of the rules."""
        found = self.instance(state, number)
        assert found is not None, "what is legal is an action"
        return found

    def shown(self, action: Instance) -> str:
        """An action in words, whatever card it is about."""
        sort, pairs = deck_of(self.system).sort, zip(self.system.action(action.name).params, action.args, strict=True)
        return f"{action.name}({', '.join('…' if p.type == sort else show_value(p.type, arg) for p, arg in pairs)})"

    def deal(self, deck: Sequence[str]) -> Dealt:
        """A deck that is given by the names of its cards."""
        return self.compiled.deal([self._face_of[card] for card in deck])

    # ---- what an implementation is told ----------------------------------------------------------------
    def _setup(self, first: PackedState) -> Setup:
        deck = deck_of(self.system)
        names = [show_value(deck.attributes[0][1], suit) for suit in self._suits]
        ranks = sorted({rank for _, rank in deck.faces})
        many = dict(zip(deck.faces, deck.copies, strict=True))
        by_value = {value: letter for letter, value in letters(self.system).items()}
        before_rank = (by_value.get(suit, f"{name}-") for suit, name in zip(self._suits, names, strict=True))
        copies = tuple(tuple(many.get((suit, rank), 0) for rank in ranks) for suit in self._suits)
        return Setup(
            self.game.name,
            self.players,
            tuple(names),
            tuple(before_rank),
            tuple(ranks),
            copies,
            self.hand_size,
            self.table.blue(first),
            self.table.most_red,
            dict(self.system.rulings),
            tuple(self._moves),
            tuple(self._other_colours),
        )

    def names(self, faces: Sequence[int]) -> tuple[str, ...]:
        return tuple([self.faces[face] for face in faces])


def check_comparable(system: System) -> None:
    """`Undeclared` unless an implementation of Hanabi can be compared with these rules."""
    missing = {PLAY, DISCARD, HINT} - DeclaredActions(system).patterns.keys()
    if system.deck is None or not has_suits_and_ranks(system) or missing:
        raise Undeclared(f"`{system.name}` has no interface with suits, ranks, `play`, `discard` and `hint`")
    roles_of(system)
