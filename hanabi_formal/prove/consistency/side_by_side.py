"""Does a change of the rules change anything? Two systems, alike but for one change, are played side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from hanabi_formal.kernel.build import TRUE
from hanabi_formal.kernel.canonical import canonical
from hanabi_formal.kernel.system import Action, System
from hanabi_formal.kernel.trace import Instance, Trace
from hanabi_formal.kernel.types import type_values
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState
from hanabi_formal.run.faults import Fault

TOLD_GAMES = 2


@dataclass(frozen=True)
class RuleDifference:
    """What differs at the end of a game; without a game it is plain from the text."""

    what: str
    trace: Trace | None = None


def rules_of(system: System) -> System:
    """The rules alone, in a form that is the same for the same rules."""
    return replace(_stated(system), properties=())


def _stated(system: System) -> System:
    """The rules and what is stated of them, without texts and names that only people read."""
    normal = _normal(system)
    bands = normal.bands
    if bands is not None:
        bands = replace(bands, bands=tuple(replace(b, text="") for b in bands.bands), refuted_because=None)
    properties = (p if p.refuted_because is None else replace(p, refuted_because="") for p in normal.properties)
    return replace(normal, bands=bands, properties=tuple(properties), interface=None)


def _normal(system: System) -> System:
    """A guard that is always true is none; a parameter matters by what it changes."""
    return canonical(replace(system, parameters=(), actions=tuple(map(_without_idle_guards, system.actions))))


def _without_idle_guards(action: Action) -> Action:
    return replace(action, guards=tuple(guard for guard in action.guards if guard.condition != TRUE))


def text_difference(changed: System, unchanged: System) -> str:
    """What differs in that which is only said about the rules; nothing if they differ in nothing."""
    if _stated(changed) != _stated(unchanged):
        return "the properties differ"
    if _expectations(changed) != _expectations(unchanged):
        return "what is expected differs"
    texts = [[band.text for band in system.bands.bands] if system.bands else [] for system in (changed, unchanged)]
    if texts[0] != texts[1]:
        return "the texts of the bands differ"
    return "" if changed.interface == unchanged.interface else "the interface differs"


def _expectations(system: System) -> list[str | None]:
    bands = system.bands.refuted_because if system.bands else None
    return [bands, *(prop.refuted_because for prop in system.properties)]


def plain_difference(changed: System, unchanged: System) -> str:
    """What makes states or deals of the two incomparable."""
    if changed.deck != unchanged.deck:
        return "the deck differs"
    if changed.variables != unchanged.variables:
        return "the variables differ"
    return "the types differ" if changed.types != unchanged.types else ""


PARTS = ("inits", "actions", "ends", "score", "bands", "view")


def _differing(changed: System, unchanged: System) -> frozenset[str]:
    """The parts of the rules in which two systems differ."""
    one, other = rules_of(changed), rules_of(unchanged)
    return frozenset(part for part in PARTS if getattr(one, part) != getattr(other, part))


class SideBySide:
    """Games of the changed system, watched by the unchanged one. Both have the same variables and deals.

    What cannot differ is not compared: with the same actions and ends the states stay the same.
    """

    def __init__(self, changed: Compiled, unchanged: Compiled) -> None:
        self.sides = (changed, unchanged)
        self.parts = _differing(changed.system, unchanged.system)
        self._same_layout = changed.layout.cells == unchanged.layout.cells

    def difference(self, games: Iterable[Trace]) -> RuleDifference | None:
        """The first there is: in what may be done, what it does, how it ends, what it scores, or who learns what."""
        for number, game in enumerate(games):
            found = self._watch(game, told=number < TOLD_GAMES and "actions" in self.parts)
            if found is not None:
                return found
        return None

    def _watch(self, game: Trace, told: bool) -> RuleDifference | None:
        deals = [side.deal(list(game.faces)) for side in self.sides]
        try:
            states = [side.start(dealt) for side, dealt in zip(self.sides, deals, strict=True)]
        except Fault:
            return None
        what = ""
        for number in range(len(game.actions) + 1):
            so_far = Trace(game.faces, game.actions[:number])
            what = self._state_difference(deals, states) or what
            if what:
                return RuleDifference(what, so_far)
            if number == len(game.actions):
                break
            instance = Instance(*game.actions[number])
            if told:
                what = self._told_difference(deals, states, instance)
            try:
                states = [_step(*side, instance) for side in zip(self.sides, deals, states, strict=True)]
            except Fault as fault:
                return RuleDifference(str(fault), so_far)
        return None

    def _state_difference(self, deals: list[Dealt], states: list[PackedState]) -> str:
        parts = self.parts
        ends = [_end(*side) for side in zip(self.sides, states, strict=True)]
        if ends[0] != ends[1]:
            return f"the game {ends[0]}; without the change it {ends[1]}"
        if parts & {"inits", "actions", "ends"} and not self._same_values(states):
            return "the states differ"
        if "actions" in parts and self._differ(_legal, deals, states):
            return "the legal actions differ"
        if parts & {"ends", "score"} and self._differ(lambda side, *at: side.score(*at), deals, states):
            return "the scores differ"
        if parts & {"ends", "score", "bands"} and self._differ(Compiled.bands, deals, states):
            return "the bands differ"
        return "what players see differs" if "view" in parts and self._differ(_seen, deals, states) else ""

    def _differ(
        self, ask: Callable[[Compiled, Dealt, PackedState], object], deals: list[Dealt], states: list[PackedState]
    ) -> bool:
        one, other = (ask(*side) for side in zip(self.sides, deals, states, strict=True))
        return one != other

    def _same_values(self, states: list[PackedState]) -> bool:
        """The end is a number among the ends of each side, and compared by name."""
        if self._same_layout and states[0][:-1] == states[1][:-1]:
            return True
        one, other = (side.snapshot(state).values for side, state in zip(self.sides, states, strict=True))
        return one == other

    def _told_difference(self, deals: list[Dealt], states: list[PackedState], instance: Instance) -> str:
        one, other = (_told(*side, instance) for side in zip(self.sides, deals, states, strict=True))
        return "" if one == other else "what players are told differs"


def _seen(side: Compiled, dealt: Dealt, state: PackedState) -> list[object]:
    view = side.system.view
    return [side.view(dealt, state, seat) for seat in type_values(view.seat.type)] if view is not None else []


def _told(side: Compiled, dealt: Dealt, state: PackedState, instance: Instance) -> Counter[object]:
    step = side.interpreter.step(side.snapshot(state), tuple(dealt[0]), instance)
    return Counter((seat, fact.binding, fact.value) for seat, fact in step.revealed)


def _end(side: Compiled, state: PackedState) -> str:
    number = side.ended(state)
    end = side.system.ends[number - 1]
    return f"is {end.outcome} by {end.name}" if number else "goes on"


def _legal(side: Compiled, dealt: Dealt, state: PackedState) -> set[Instance]:
    return {side.decode(state, code) for code in side.legal(dealt, state)}


def _step(side: Compiled, dealt: Dealt, state: PackedState, instance: Instance) -> PackedState:
    code = side.encode(dealt, state, instance)
    assert code is not None, "the legal actions are the same"
    return side.step(dealt, state, code)
