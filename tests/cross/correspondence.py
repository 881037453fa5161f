"""How a specification's words translate to the reference engine's, in one place, with nothing left over.

A variable, action, end or sight of the specification that is not listed here is an error, not a gap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from hanabi_formal import reference as ref
from hanabi_formal.kernel.expr import Attr, Expr, Get
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import UnionType, show_value, type_size
from hanabi_formal.reference import Action, Clue, Face, Table
from hanabi_formal.reference.ends import OUTCOMES
from hanabi_formal.reference.table import Place
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState
from hanabi_formal.run.compiler.layout import Packed, Planes, Scalar
from hanabi_formal.run.interpret import Step

from .setups import Setup

ACTIONS = {"hint", "discard", "play", "announce", "pass", "abandon", "deck_play"}
MAPS = {"place", "told"}
SCALARS: dict[str, Callable[[Table], int]] = {
    "drawn": lambda table: table.drawn,
    "turn": lambda table: table.turn,
    "blue_left": lambda table: table.blue,
    "red_spent": lambda table: table.red,
    "turns_left": lambda table: table.turns_left,
    "abandoned": lambda table: table.end == "abandoned",
}
FLAG = "irreplaceable_lost"  # no part of a table: the reference engine sees the event as it happens

Template = tuple[int | None, Any]  # an action, and the place in the hand that stands for its card
Facts = tuple[tuple[int, tuple[int, ...], int], ...]


class Mismatch(AssertionError):
    """The two engines say different things."""


def same(what: str, spec: object, reference: object) -> None:
    if spec != reference:
        raise Mismatch(f"{what}\n  specification: {spec}\n  reference:     {reference}")


class Correspondence:
    """The translation for one setup. Cards are numbered alike in both engines."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.compiled: Compiled = setup.compiled()
        self.system = self.compiled.system
        self.rules = setup.rules()
        self._check_parts()
        self._templates: dict[tuple[int, int], Template] = {}
        self._end_numbers = {end.name: number for number, end in enumerate(self.system.ends, 1)}
        self._bits = [1 << card for card in range(self.size)]
        self._plan()

    # ---- what does not change in a game --------------------------------------------------------
    def _check_parts(self) -> None:
        """The two engines play with the same parts, and the specification has none that are unknown here."""
        names = {variable.name for variable in self.system.variables}
        same("variables that are not compared", sorted(names - MAPS - SCALARS.keys() - {FLAG}), [])
        same("actions that are not compared", sorted({a.name for a in self.system.actions} - ACTIONS), [])
        assert self.system.deck is not None
        assert self.system.actor == "turn"
        faces = [Face(show_value(self._kind("suit"), suit), rank) for suit, rank in self.system.deck.faces]
        self.faces = faces
        self.face_number = {face: number for number, face in enumerate(faces)}
        cards = [face for face, many in zip(faces, self.system.deck.copies, strict=True) for _ in range(many)]
        same("the cards of the game", sorted(cards), sorted(ref.composition(self.rules)))
        self.size = self.system.deck.sort.size
        self.seats = self.rules.players
        kind = self.system.variable("told").index[1]
        assert isinstance(kind, UnionType)
        self.clues = [self._clue(kind, number) for number in range(type_size(kind))]
        self.clue_number = {clue: number for number, clue in enumerate(self.clues)}
        unnamed = set(self.clues) - set(self.rules.clues)  # in the rainbow game, the sixth colour
        same("hints that nobody may give", unnamed, {("colour", ref.SUITS[5])} if self.rules.rainbow else set())
        same("hints that only one engine knows", set(self.rules.clues) - set(self.clues), set())
        same("the scale", self._scale(), ref.bands(self.rules) if not self.rules.expert else ())
        same("ends that only one engine knows", {e.name for e in self.system.ends} - OUTCOMES.keys(), set())

    def _kind(self, attribute: str) -> Any:
        assert self.system.deck is not None
        return self.system.deck.attributes[self.system.deck.attribute(attribute)][1]

    def _clue(self, kind: UnionType, number: int) -> Clue:
        which, (field,) = kind.decode(number)
        name = kind.constructors[which].name
        if name == "colour":
            return ("colour", show_value(self._kind("suit"), field))
        same("the kinds of hints", name, "value")
        return ("value", field)

    def _scale(self) -> tuple[tuple[int, int], ...]:
        bands = self.system.bands
        if bands is None or getattr(bands.condition, "value", 1) == 0:
            return ()
        return tuple((band.low, band.high) for band in bands.bands)

    @cached_property
    def band_ranges(self) -> dict[str, str]:
        """From the text of a band to its range, as the reference engine writes it."""
        bands = self.system.bands.bands if self.system.bands is not None else ()
        found = {b.text: f"{b.low}..{b.high}" if b.low < b.high else str(b.low) for b in bands}
        assert len(found) == len(bands), "two bands have the same text"
        return found

    def deal(self, deck: Iterable[Face]) -> list[int]:
        return [self.face_number[face] for face in deck]

    # ---- actions -------------------------------------------------------------------------------
    def action(self, instance: Instance) -> Action:
        """The reference engine's word for an action of the specification."""
        match instance.name, instance.args:
            case "hint", (seat, about):
                return ("hint", seat, self.clues[about])
            case "discard", (card, take):
                return ("discard", card, bool(take))
            case "play", (card, take):
                return ("play", card, bool(take))
            case "announce", (card, suit, take):
                return ("announce", card, show_value(self._kind("suit"), suit), bool(take))
            case "deck_play", (take,):
                return ("deck_play", bool(take))
            case "pass", ():
                return ("pass",)
            case "abandon", ():
                return ("abandon",)
        raise Mismatch(f"the reference engine has no word for {instance}")

    def instance(self, action: Action) -> Instance:
        """And back. KeyError or ValueError if the specification has no such argument."""
        match action:
            case ("hint", seat, clue):
                return Instance("hint", (seat, self.clue_number[clue]))
            case ("announce", card, suit, take):
                return Instance("announce", (card, self._kind("suit").labels.index(suit), int(take)))
            case (name, *args):
                return Instance(name, tuple(int(arg) for arg in args))

    def legal(self, state: PackedState, codes: Sequence[int], hand: Sequence[int]) -> dict[Action, int]:
        """The legal actions with their codes. A code names a card by its place in the hand of the player to act."""
        turn = state[self._turn_cell]
        found: dict[Any, int] = {}
        for code in codes:
            place, action = self._templates.get((turn, code)) or self._template(state, turn, code, hand)
            if place is None:
                found[action] = code
            else:
                found[(action[0], hand[place], *action[2:])] = code
        if len(found) != len(codes):
            raise Mismatch("the executor lists an action twice")
        return found

    def _template(self, state: PackedState, turn: int, code: int, hand: Sequence[int]) -> Template:
        action: Any = self.action(self.compiled.decode(state, code))
        place = hand.index(action[1]) if action[0] in ("discard", "play", "announce") else None
        self._templates[turn, code] = (place, action)
        return place, action

    @cached_property
    def all_actions(self) -> dict[str, list[Action]]:
        """Every action with every argument that its type allows, legal or not."""
        found: dict[str, list[Action]] = {}
        for action in self.system.actions:
            args = self.compiled.interpreter.arguments(action)
            found[action.name] = [self.action(Instance(action.name, values)) for values in args]
        return found

    # ---- states --------------------------------------------------------------------------------
    def _plan(self) -> None:
        """Where the executor keeps what is compared after every action."""
        layout = self.compiled.layout
        place = layout.kept["place"]
        assert isinstance(place, Planes)
        cells = [layout.where(slot) for slot in place.slots]
        kind = self.system.variable("place").type
        names = [show_value(kind, value) for value in range(type_size(kind))]
        same(
            "the places of a card", names, ["pile", *(f"hand({s})" for s in range(self.seats)), "fireworks", "discards"]
        )
        self._scalars = [v.name for v in self.system.variables if v.name in SCALARS]
        self._read_scalar = [SCALARS[name] for name in self._scalars]
        for name in self._scalars:
            kept = layout.kept[name]
            assert isinstance(kept, Scalar)
            cells.append(layout.where(kept.slot))
        self._turn_cell = cells[len(place.slots) + self._scalars.index("turn")][0]
        self._cells = [*cells, (-1, None)]
        told = layout.kept["told"]
        assert isinstance(told, Packed)
        labels = [show_value(self.system.variable("told").type, v) for v in range(3)]
        same("the values of the record", labels, ["untold", "yes", "no"])
        self._told_cells = [layout.where(slot) for slot in told.slots[1:]]
        flag = layout.kept.get(FLAG)
        self._flag_cell = layout.where(flag.slot) if isinstance(flag, Scalar) else None

    def read(self, state: PackedState) -> tuple[int, ...]:
        """The state as numbers: a mask of cards for each place, the scalars, and the end."""
        return tuple(state[cell] if place is None else state[cell][place] for cell, place in self._cells)

    def expected(self, table: Table) -> tuple[int, ...]:
        """What `read` must give for a state that stands for this table."""
        bits = self._bits
        fireworks = sum([bits[card] for firework in table.fireworks for card in firework])
        discards = sum([bits[card] for card in table.discards])
        hands = [sum([bits[card] for card in hand]) for hand in table.hands]
        pile = (1 << self.size) - (1 << table.drawn)
        scalars = [int(read(table)) for read in self._read_scalar]
        return (pile, *hands, fireworks, discards, *scalars, self.end_number(table))

    def told(self, state: PackedState) -> tuple[int, int]:
        """What was told, as two masks: a bit for each card and clue with the answer yes, and with no."""
        yes, no = (state[cell] if place is None else state[cell][place] for cell, place in self._told_cells)
        return yes, no

    def expected_told(self, facts: Iterable[tuple[int, Clue, bool]]) -> tuple[int, int]:
        masks = [0, 0]
        for card, clue, touched in facts:
            masks[not touched] |= 1 << (self.clue_number[clue] * self.size + card)
        return masks[0], masks[1]

    def end_number(self, table: Table) -> int:
        return 0 if table.end is None else self._end_numbers.get(table.end, -1)

    def compare(self, state: PackedState, table: Table) -> None:
        """All but the records and the views: quick, for every action."""
        actual, expected = self.read(state), self.expected(table)
        if actual != expected:
            names = ["pile", *(f"hand {s}" for s in range(self.seats)), "fireworks", "discards", *self._scalars, "end"]
            for name, ours, theirs in zip(names, actual, expected, strict=True):
                if name == "end":
                    same("the end", self.end_name(ours), table.end)
                elif name in self._scalars:
                    same(name, ours, theirs)
                else:
                    same(f"cards in {name}", self.cards(ours), self.cards(theirs))

    def cards(self, mask: int) -> list[int]:
        return [card for card in range(self.size) if mask >> card & 1]

    def end_name(self, number: int) -> str | None:
        return self.system.ends[number - 1].name if number else None

    def compare_worth(self, dealt: Dealt, state: PackedState, table: Table) -> None:
        """Outcome, score and bands; before the end there are no bands, and the score is the sum so far."""
        number = self.compiled.ended(state)
        same("the outcome", self.system.ends[number - 1].outcome if number else None, ref.outcome(table))
        same("the score", self.compiled.score(dealt, state), ref.score(table))
        bands = tuple(self.band_ranges[text] for text in self.compiled.bands(dealt, state))
        same("the bands", bands, ref.band(table))

    def compare_flag(self, state: PackedState, lost_for_good: bool) -> None:
        """Whether the last action lost an indispensable card."""
        if self._flag_cell is not None:
            cell, place = self._flag_cell
            same(FLAG, bool(state[cell] if place is None else state[cell][place]), lost_for_good)

    def compare_slowly(self, state: PackedState, table: Table) -> None:
        """Every variable spelt out, card by card, from the executor's own snapshot."""
        snapshot = self.compiled.snapshot(state)
        values = dict(snapshot.values)
        kind = self.system.variable("place").type
        assert isinstance(kind, UnionType)
        place = values.pop("place")
        assert isinstance(place, tuple)
        for card in range(self.size):
            where = {"discard": "discards"}.get(table.place(card)[0], table.place(card)[0])
            shown = where if where != "hand" else f"hand({table.place(card)[1]})"  # type: ignore[misc]
            same(f"where card {card} is", show_value(kind, place[card]), shown)
        for suit, firework in zip(table.rules.suits, table.fireworks, strict=True):
            rising = [Face(suit, value) for value in range(1, len(firework) + 1)]
            same(f"the {suit} firework", rising, [table.deck[card] for card in firework])
        told = values.pop("told")
        seen = ref.view(table, 0).told
        assert isinstance(told, tuple)
        for card in range(self.size):
            for number, clue in enumerate(self.clues):
                answer = ("untold", "yes", "no")[told[card * len(self.clues) + number]]
                same(f"what card {card} was told about {clue}", answer, seen.get((card, clue), "untold"))
        values.pop(FLAG, None)  # compare_flag
        for name in self._scalars:
            same(name, values.pop(name), int(SCALARS[name](table)))
        same("variables left uncompared", values, {})
        same("the end", self.end_name(snapshot.end), table.end)

    # ---- views ---------------------------------------------------------------------------------
    @cached_property
    def _sights(self) -> list[tuple[str, ...]]:
        """For each sight of the view, the names of its facts."""
        assert self.system.view is not None
        found = [tuple(_name(fact) for fact in sight.facts) for sight in self.system.view.sights]
        for names in found:
            known = names in (("place",), ("suit", "rank"), ("told",)) or set(names) <= SCALARS.keys()
            same("sights that are not compared", names if not known else (), ())
        return found

    @cached_property
    def _untold(self) -> list[tuple[int, tuple[int, int], int]]:
        """The facts about hints before any was given, in the specification's order."""
        number = [name for names in self._sights for name in names].index("told")
        return [(number, (card, about), 0) for card in range(self.size) for about in range(len(self.clues))]

    def _told_facts(self, told: Mapping[tuple[int, Clue], str]) -> list[tuple[int, tuple[int, int], int]]:
        """Every card and every hint: those nobody may give stay untold."""
        same("how much a view tells of hints", self.size * len(self.rules.clues), len(told))
        found = self._untold.copy()
        for (card, clue), answer in told.items():
            if answer != "untold":
                at = card * len(self.clues) + self.clue_number[clue]
                found[at] = (*found[at][:2], 1 if answer == "yes" else 2)
        return found

    def expected_view(self, table: Table, seat: int) -> Facts:
        """What the specification must let the seat see, from what the reference engine lets it see."""
        seen = ref.view(table, seat)
        same("the seat and the end in a view", (seat, table.end), (seen.seat, seen.end))
        scalars = {
            "drawn": self.size - seen.pile_size,
            "turn": seen.turn,
            "blue_left": seen.blue,
            "red_spent": seen.red,
            "turns_left": seen.turns_left,
        }
        places: dict[Place, int] = {("pile",): 0, ("fireworks",): self.seats + 1, ("discard",): self.seats + 2}
        places |= {("hand", holder): 1 + holder for holder in range(self.seats)}
        suits = self._kind("suit").labels
        found: list[tuple[int, tuple[int, ...], int]] = []
        number = 0
        for names in self._sights:
            if names == ("place",):
                found += [(number, (card,), places[place]) for card, place in enumerate(seen.places)]
            elif names == ("suit", "rank"):
                for card, face in enumerate(seen.faces):
                    if face is not None:
                        found += [(number, (card,), suits.index(face.suit)), (number + 1, (card,), face.value)]
            elif names == ("told",):
                found += self._told_facts(seen.told)
            else:
                found += [(number + at, (), scalars[name]) for at, name in enumerate(names)]
            number += len(names)
        return tuple(found)

    def compare_view(self, dealt: Dealt, state: PackedState, table: Table, seat: int) -> None:
        actual, expected = self.compiled.view(dealt, state, seat), self.expected_view(table, seat)
        if actual != expected:
            ours, theirs = set(actual) - set(expected), set(expected) - set(actual)
            facts = [name for names in self._sights for name in names]
            show = [[f"{facts[n]}{list(at)} = {value}" for n, at, value in sorted(some)[:5]] for some in (ours, theirs)]
            same(f"what seat {seat} sees (in one engine only)", show[0], show[1])
            raise Mismatch(f"what seat {seat} sees: a fact twice, or in another order")

    # ---- what an action shows ------------------------------------------------------------------
    def compare_reveals(self, dealt: Dealt, state: PackedState, before: Table, action: Action, after: Table) -> Step:
        """A step by the interpreter: its end, and what it reveals to whom.

        Every face that a seat sees after the action and did not see before was revealed to it, whatever was revealed is
        then in sight, and a hint reveals to all the answer for each card of that hand.
        """
        instance, interpreter = self.instance(action), self.compiled.interpreter
        snapshot, faces = self.compiled.snapshot(state), tuple(dealt[0])
        step = interpreter.step(snapshot, faces, instance)
        same("the interpreter's end", self.end_name(step.after.end), after.end)
        scene = interpreter.scene(snapshot, faces)
        params = self.system.action(instance.name).params
        scene.locals.update((param.name, value) for param, value in zip(params, instance.args, strict=True))
        answers = set()
        shown: list[set[tuple[int, str, int]]] = [set() for _ in range(self.seats)]
        for to, fact in step.revealed:
            if isinstance(fact.expr, Attr):
                card = interpreter.evaluate(fact.expr.card, scene)
                for seat in range(self.seats) if to is None else (to,):
                    shown[seat].add((card, fact.expr.name, fact.value))
            else:
                same("to whom an answer is revealed", to, None)
                answers.add((fact.binding[0], bool(fact.value)))
        hinted = before.hands[action[1]] if action[0] == "hint" else ()
        same("the answers of a hint", answers, {(c, before.touches(action[2], before.deck[c])) for c in hinted})  # type: ignore[misc, arg-type]
        for seat in range(self.seats):
            was, now = self._seen_faces(before, seat), self._seen_faces(after, seat)
            same(f"newly seen by seat {seat}, and not revealed", sorted(now - was - shown[seat]), [])
            same(f"revealed to seat {seat}, and not seen", sorted(shown[seat] - now), [])
        return step

    def _seen_faces(self, table: Table, seat: int) -> set[tuple[int, str, int]]:
        suits = self._kind("suit").labels
        faces = [(card, face) for card, face in enumerate(ref.view(table, seat).faces) if face is not None]
        return {
            fact
            for card, face in faces
            for fact in ((card, "suit", suits.index(face.suit)), (card, "rank", face.value))
        }


def _name(fact: Expr) -> str:
    match fact:
        case Get(var) | Attr(var):
            return var
    raise Mismatch(f"a fact that is not compared: {fact}")
