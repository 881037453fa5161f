"""The rules' own side of a comparison: their states as what lies on the table, their actions as moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from hanabi_formal.api import Game
from hanabi_formal.conformance.messages import Move, Seen, Setup, Unsupported
from hanabi_formal.formats.faces import deck_of, face_names, letters
from hanabi_formal.formats.hanab_live.deck_numbers import has_suits_and_ranks
from hanabi_formal.kernel.expr import Lit
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import BOOL, UnionType, show_value, type_values
from hanabi_formal.run.compiler.compile import Compiled, Dealt, Packed_State
from hanabi_formal.run.compiler.layout import Planes, Scalar

PLACE, TURN, BLUE, RED, DRAWN = "place", "turn", "blue_left", "red_spent", "drawn"
OTHER = ("pass", "abandon", "deck_play")
ANNOUNCE = "announce"


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
        _check(self.system)
        self.faces = face_names(self.system)
        self._moves: list[Move] = []
        self._instances: list[Instance | WithCard] = []
        self._numbers: list[dict[int, int | None]] = [{} for _ in range(players)]
        self._read_layout()
        first = self.compiled.start(self.compiled.deal(self.some_deal))
        self.hand_size = len(self._hand(first, 0))
        self._list_moves(knows)
        self.setup = self._setup(first)

    # ---- cells of states ---------------------------------------------------------------------------
    def _read_layout(self) -> None:
        layout = self.compiled.layout
        kept = layout.kept[PLACE]
        kind = self.system.variable(PLACE).type
        assert isinstance(kept, Planes)
        assert isinstance(kind, UnionType)
        at = {show_value(kind, value): value - kept.first for value in type_values(kind)}
        self._hands = [layout.where(kept.members[at[f"hand({seat})"]]) for seat in range(self.players)]
        self._fireworks, self._discards = (layout.where(kept.slots[at[name]])[0] for name in ("fireworks", "discards"))
        self._scalars = []
        for name in (TURN, BLUE, RED, DRAWN):
            scalar = layout.kept[name]
            assert isinstance(scalar, Scalar)
            self._scalars.append(layout.where(scalar.slot)[0])
        self._cards = deck_of(self.system).sort.size
        self._suit_of = tuple(suit for suit, _ in deck_of(self.system).faces)
        self._suits = len({*self._suit_of})

    @cached_property
    def some_deal(self) -> list[int]:
        """Every card once, face by face."""
        return [face for face, many in enumerate(deck_of(self.system).copies) for _ in range(many)]

    def _hand(self, state: Packed_State, seat: int) -> tuple[int, ...]:
        cell, place = self._hands[seat]
        found: tuple[int, ...] = state[cell][place]
        return found

    @property
    def cells(self) -> tuple[int, int]:
        """Where states keep the masks of what lies in the fireworks, and of what was thrown away."""
        return self._fireworks, self._discards

    def scalar(self, name: str) -> int:
        """Where states keep a number."""
        return self._scalars[(TURN, BLUE, RED, DRAWN).index(name)]

    def actor(self, state: Packed_State) -> int:
        found: int = state[self._scalars[0]]
        return found

    def hand(self, state: Packed_State, seat: int) -> tuple[int, ...]:
        """The numbers of the cards that a seat holds, oldest first."""
        return self._hand(state, seat)

    def seen(self, dealt: Dealt, names: Sequence[str], state: Packed_State) -> Seen:
        """`names` are the texts of the cards of this deal."""
        turn, blue, red, drawn = self._scalars
        heights = [0] * self._suits
        rest, faces = state[self._fireworks], dealt[0]
        while rest:
            low = rest & -rest
            heights[self._suit_of[faces[low.bit_length() - 1]]] += 1
            rest ^= low
        gone, rest = [], state[self._discards]
        while rest:
            low = rest & -rest
            gone.append(names[low.bit_length() - 1])
            rest ^= low
        gone.sort()
        hands = tuple([tuple([names[card] for card in state[cell][place]]) for cell, place in self._hands])
        over = state[-1] > 0
        return Seen(
            hands,
            tuple(heights),
            tuple(gone),
            self._cards - state[drawn],
            state[blue],
            state[red],
            None if over else state[turn],
            self.compiled.score(dealt, state),
            over,
        )

    # ---- moves ---------------------------------------------------------------------------------------
    def _list_moves(self, knows: frozenset[str]) -> None:
        interface = self.system.interface
        assert interface is not None
        patterns = dict(interface.actions)
        for take in (True, False) if "take" in knows else (True,):
            for kind, slot in product(("play", "discard"), range(self.hand_size)):
                pattern = patterns[kind]
                if take or any(isinstance(arg, Lit) for arg in pattern.args):
                    args = tuple(int(take) if isinstance(arg, Lit) else None for arg in pattern.args)
                    self._add(Move(kind, slot, take=take), WithCard(pattern.action, args))
            if ANNOUNCE in knows and self._announces:
                for slot, suit in product(range(self.hand_size), sorted({*self._suit_of})):
                    self._add(Move(ANNOUNCE, slot, suit=suit, take=take), WithCard(ANNOUNCE, (None, suit, int(take))))
        hint = patterns["hint"]
        about = self.system.action(hint.action).params[1].type
        assert isinstance(about, UnionType)
        suit_type, rank_type = (kind for _, kind in deck_of(self.system).attributes)
        for seat, value in product(range(self.players), type_values(about)):
            which, fields = about.decode(value)
            instance = Instance(hint.action, (seat, value))
            if about.constructors[which].fields == (suit_type,):
                self._add(Move("hint", to=seat, suit=fields[0]), instance)
            elif about.constructors[which].fields == (rank_type,):
                self._add(Move("hint", to=seat, rank=fields[0]), instance)
        for name in OTHER:
            action = next((action for action in self.system.actions if action.name == name), None)
            if action is not None and name in knows:
                self._add(Move(name), Instance(name, (1,) * len(action.params)))

    @property
    def _announces(self) -> bool:
        """Can a card be played with the name of its suit said before, a token for it being taken or not?"""
        deck = deck_of(self.system)
        found = next((action for action in self.system.actions if action.name == ANNOUNCE), None)
        return found is not None and [p.type for p in found.params] == [deck.sort, deck.attributes[0][1], BOOL]

    def _add(self, move: Move, instance: Instance | WithCard) -> None:
        self._moves.append(move)
        self._instances.append(instance)

    @property
    def moves(self) -> tuple[Move, ...]:
        return self.setup.moves

    @cached_property
    def _by_instance(self) -> dict[Instance, int]:
        return {i: number for number, i in enumerate(self._instances) if isinstance(i, Instance)}

    @cached_property
    def _by_slot(self) -> dict[tuple[WithCard, int], int]:
        return {
            (instance, move.slot): number
            for number, (move, instance) in enumerate(zip(self._moves, self._instances, strict=True))
            if isinstance(instance, WithCard) and move.slot is not None
        }

    @cached_property
    def _place_of_card(self) -> dict[str, int]:
        return {i.action: i.args.index(None) for i in self._instances if isinstance(i, WithCard)}

    def number(self, state: Packed_State, code: int) -> int | None:
        """The number of the move that a code of the executor stands for; None if it is none that can be said."""
        actor = self.actor(state)
        known = self._numbers[actor]
        if code not in known:
            # What a code means is the same in every state in which a seat acts: a slot, or a hint.
            known[code] = self._number(state, self.compiled.decode(state, code))
        return known[code]

    def _number(self, state: Packed_State, instance: Instance) -> int | None:
        fixed = self._by_instance.get(instance)
        if fixed is not None:
            return fixed
        place, hand = self._place_of_card.get(instance.name), self._hand(state, self.actor(state))
        if place is None or instance.args[place] not in hand:
            return None
        others = WithCard(instance.name, (*instance.args[:place], None, *instance.args[place + 1 :]))
        return self._by_slot.get((others, hand.index(instance.args[place])))

    def numbers(self, state: Packed_State, codes: Sequence[int]) -> frozenset[int]:
        """The numbers of legal moves."""
        known = self._numbers[self.actor(state)]
        try:
            found = frozenset([known[code] for code in codes])
        except KeyError:
            found = frozenset([self.number(state, code) for code in codes])
        return frozenset([n for n in found if n is not None]) if None in found else found  # type: ignore[return-value]

    def instance(self, state: Packed_State, number: int) -> Instance | None:
        """A move as an action of the rules, legal or not; None if there is no card in that slot."""
        found = self._instances[number]
        if isinstance(found, Instance):
            return found
        slot = self._moves[number].slot
        hand = self._hand(state, self.actor(state))
        return None if slot is None or slot >= len(hand) else found.of(hand[slot])

    def shown(self, name: str, args: tuple[int, ...]) -> str:
        """An action in words, whatever card it is about."""
        sort = deck_of(self.system).sort
        params = self.system.action(name).params
        words = ["…" if p.type == sort else show_value(p.type, arg) for p, arg in zip(params, args, strict=True)]
        return f"{name}({', '.join(words)})"

    # ---- what an implementation is told ----------------------------------------------------------------
    def _setup(self, first: Packed_State) -> Setup:
        deck = deck_of(self.system)
        suit_type = deck.attributes[0][1]
        suits = sorted({suit for suit, _ in deck.faces})
        ranks = sorted({rank for _, rank in deck.faces})
        many = dict(zip(deck.faces, deck.copies, strict=True))
        by_value = {value: letter for letter, value in letters(self.system).items()}
        copies = tuple(tuple(many.get((suit, rank), 0) for rank in ranks) for suit in suits)
        return Setup(
            self.game.name,
            self.players,
            tuple(show_value(suit_type, suit) for suit in suits),
            tuple(by_value[suit] for suit in suits),
            tuple(ranks),
            copies,
            self.hand_size,
            first[self._scalars[1]],
            dict(self.system.parameters).get("red_tokens", 3),
            dict(self.system.rulings),
            tuple(self._moves),
        )

    def names(self, faces: Sequence[int]) -> tuple[str, ...]:
        return tuple([self.faces[face] for face in faces])


def _check(system: System) -> None:
    """Can an implementation of Hanabi be compared with these rules at all?"""
    interface = system.interface
    known = {variable.name for variable in system.variables}
    named = dict(interface.actions) if interface is not None else {}
    if system.deck is None or not has_suits_and_ranks(system) or not {"play", "discard", "hint"} <= named.keys():
        raise Unsupported(f"`{system.name}` has no interface with suits, ranks, `play`, `discard` and `hint`")
    missing = {PLACE, TURN, BLUE, RED, DRAWN} - known
    if missing:
        raise Unsupported(f"`{system.name}` has no variable {', '.join(f'`{name}`' for name in sorted(missing))}")
