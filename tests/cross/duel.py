"""One game played in both engines at once, compared as it goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random

from hanabi_formal import reference as ref
from hanabi_formal.api import State
from hanabi_formal.reference import Action, Face, Table
from hanabi_formal.reference.ends import was_indispensable
from hanabi_formal.reference.moves import take_turn
from hanabi_formal.run.faults import Fault, IllegalAction

from .correspondence import Correspondence, Mismatch, same


class Difference(AssertionError):
    """The engines differ: the setup, the deal and the game that lead there, and what differs."""

    def __init__(self, duel: Duel, what: str) -> None:
        self.what = what
        self.setup = duel.pair.setup
        self.actions = tuple(duel.actions)
        deal = " ".join(map(str, duel.deck))
        game = "\n".join(f"  {describe(duel.deck, action)}" for action in duel.actions) or "  (at the start)"
        super().__init__(f"{what}\nin {duel.pair.setup}\ndeal {deal}\nafter\n{game}")


def describe(deck: tuple[Face, ...], action: Action) -> str:
    """An action for a reader: cards by face and number."""
    if action[0] in ("play", "discard", "announce"):
        card = action[1]
        assert isinstance(card, int)
        return f"{action[0]} {deck[card]}#{card} {' '.join(map(str, action[2:]))}"
    return " ".join(map(str, action))


class Duel:
    """Both engines side by side. Every method raises `Difference` where they part."""

    def __init__(self, pair: Correspondence, deck: Iterable[tuple[str, int]]) -> None:
        self.pair = pair
        self.deck = tuple(Face(*face) for face in deck)
        self.actions: list[Action] = []
        self.codes: list[int] = []
        self.table: Table = ref.start(pair.rules, self.deck)
        self.dealt = pair.compiled.deal(pair.deal(self.deck))
        self.state = pair.compiled.start(self.dealt)
        self._told = (0, 0)
        self._lost_for_good = False
        self._legal: list[Action] = []
        self._options: dict[Action, int] | None = None  # the same with the executor's codes, once compared
        self.compare()

    # ---- playing -------------------------------------------------------------------------------
    def legal(self) -> list[Action]:
        """What the player to act may do, in the reference engine's order."""
        if self._options is None:
            self._legal = ref.legal(self.table)
            try:
                self._options = self._compared_options(self._legal)
            except (Mismatch, Fault) as error:
                raise Difference(self, str(error)) from error
        return self._legal

    def _compared_options(self, actions: list[Action]) -> dict[Action, int]:
        codes = self.pair.compiled.legal(self.dealt, self.state)
        options = self.pair.legal(self.state, codes, self.table.hands[self.table.turn])
        if len(options) != len(actions) or not all(map(options.__contains__, actions)):
            ours, theirs = set(options), set(actions)
            same("legal actions (in one engine only)", sorted(ours - theirs), sorted(theirs - ours))
            raise Mismatch("the reference engine lists an action twice")
        return options

    def act(self, action: Action) -> None:
        """A legal action in both."""
        self.legal()
        assert self._options is not None
        code = self._options[action]
        before = self.table
        self.actions.append(action)
        self.codes.append(code)
        self._options = None
        try:
            self.state = self.pair.compiled.step(self.dealt, self.state, code)
        except Fault as error:
            raise Difference(self, f"a fault of the specification: {error}") from error
        try:
            self.table = before.copied()
            take_turn(self.table, action)
        except Exception as error:
            raise Difference(self, f"a fault of the reference engine: {error!r}") from error
        if self.pair.rules.expert:
            self._lost_for_good = self._loses_for_good(before, action)
        if self.table.told != before.told:
            more = self.pair.expected_told(self.table.told - before.told)
            self._told = (self._told[0] | more[0], self._told[1] | more[1])
        self.compare()

    def _loses_for_good(self, before: Table, action: Action) -> bool:
        """Whether the action discarded, or as good as discarded, an indispensable card."""
        lost = self.table.discards - before.discards
        if not lost or (action[0] != "discard" and self.pair.rules.misfit_is_discard == "no"):
            return False
        return was_indispensable(self.table, *lost)

    # ---- comparing -----------------------------------------------------------------------------
    def compare(self) -> None:
        """After every action: places, numbers, end, score, and what was told."""
        try:
            self.pair.compare(self.state, self.table)
            told = self.pair.told(self.state)
            if told != self._told:
                same("what was told, as masks", told, self._told)
            self.pair.compare_flag(self.state, self._lost_for_good)
            if self.table.end is not None:
                self.pair.compare_worth(self.dealt, self.state, self.table)
            elif (score := self.pair.compiled.score(self.dealt, self.state)) != ref.score(self.table):
                same("the score", score, ref.score(self.table))
        except Mismatch as error:
            raise Difference(self, str(error)) from error

    def compare_slowly(self) -> None:
        """Each variable spelt out card by card from a snapshot, and each code decoded afresh."""
        try:
            self.pair.compare_slowly(self.state, self.table)
            for action, code in (self._options or {}).items():
                same("what a code means", self.pair.action(self.pair.compiled.decode(self.state, code)), action)
        except Mismatch as error:
            raise Difference(self, str(error)) from error

    def compare_views(self, seats: Iterable[int]) -> None:
        """What these seats see: with it every card's place and everything told, from the reference engine's own record."""
        try:
            same("what was told, as masks", self._told, self.pair.expected_told(self.table.told))
            self.pair.compare_worth(self.dealt, self.state, self.table)
            for seat in seats:
                self.pair.compare_view(self.dealt, self.state, self.table, seat)
        except Mismatch as error:
            raise Difference(self, str(error)) from error

    def compare_refusals(self, rng: Random, each: int = 2) -> Counter[str]:
        """Some actions of every kind that are not legal are refused by both; also words that are no actions."""
        legal = set(self.legal())
        now = State(self.pair.compiled, self.dealt, self.state)
        snapshot, faces = self.pair.compiled.snapshot(self.state), tuple(self.dealt[0])
        refused: Counter[str] = Counter()
        for name, actions in self.pair.all_actions.items():
            for action in rng.sample(actions, min(each, len(actions))):
                if action in legal:
                    continue
                instance = self.pair.instance(action)
                known = now.action(instance.name, *instance.args)
                try:
                    self.pair.compiled.interpreter.step(snapshot, faces, known)
                    raise Difference(self, f"the specification's guards allow {action}")
                except IllegalAction:
                    self._refused_by_reference(action)
                    refused[name] += 1
        for action in self._no_actions():
            try:
                instance = self.pair.instance(action)
                now.action(instance.name, *instance.args)
                raise Difference(self, f"the specification knows {action}")
            except (IllegalAction, KeyError, ValueError):
                pass
            self._refused_by_reference(action)
            refused["no action"] += 1
        return refused

    def _refused_by_reference(self, action: Action) -> None:
        try:
            ref.apply(self.table, action)
        except ref.IllegalAction:
            return
        raise Difference(self, f"the reference engine allows {action}")

    def _no_actions(self) -> list[Action]:
        """Arguments that exist in neither engine."""
        return [
            ("play", self.pair.size, True),
            ("discard", -1, True),
            ("hint", self.pair.seats, ("value", 1)),
            ("hint", 1 - self.table.turn % 2, ("value", self.pair.rules.top + 1)),
            ("announce", 0, "purple", True),
        ]

    def explain(self, action: Action) -> tuple[str, ...]:
        """The labels of the cases the action would go through, by the interpreter; and what it would show to whom."""
        after = ref.apply(self.table, action)
        try:
            return self.pair.compare_reveals(self.dealt, self.state, self.table, action, after).labels
        except Mismatch as error:
            raise Difference(self, str(error)) from error
