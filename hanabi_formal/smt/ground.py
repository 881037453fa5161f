"""Terms at a known state of a known deal: what the solver's reading of the rules comes to, number for number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import z3

from hanabi_formal.kernel.system import Action, System
from hanabi_formal.kernel.types import BOOL
from hanabi_formal.run.interpret import Snapshot, position
from hanabi_formal.smt.counts import GroundCounts
from hanabi_formal.smt.states import State, Term
from hanabi_formal.smt.step import Stepper, Transition
from hanabi_formal.smt.translate import Scene, Translator


class KnownDeal(Translator):
    """A translator for one deal: attributes are numbers."""

    def __init__(self, system: System, faces: Sequence[int]) -> None:
        counts = GroundCounts()
        super().__init__(system, counts)
        counts.translator = self
        self._faces = faces

    def attribute(self, name: str, card: Term) -> Term:
        deck = self.system.deck
        assert deck is not None
        number = z3.simplify(card).as_long()
        if not 0 <= number < len(self._faces):
            return z3.IntVal(-1)  # A place that does not exist has no face; nothing may depend on it.
        return z3.IntVal(deck.faces[self._faces[number]][deck.attribute(name)])


class KnownState:
    """A state whose every place has a number."""

    def __init__(self, system: System, snapshot: Snapshot) -> None:
        self._system = system
        self._snapshot = snapshot

    def read(self, var: str, index: tuple[Term, ...]) -> Term:
        variable = self._system.variable(var)
        found = self._snapshot.values[var]
        if isinstance(found, tuple):
            at = tuple(number_of(term) for term in index)
            where = position(variable.index, at)
            found = found[where] if 0 <= where < len(found) else 0
        return z3.BoolVal(bool(found)) if variable.type == BOOL else z3.IntVal(found)


def number_of(term: Term) -> int:
    """The number that a term without unknowns comes to."""
    simple = z3.simplify(term)
    if z3.is_true(simple):
        return 1
    if z3.is_false(simple):
        return 0
    return int(simple.as_long())


class GroundStep:
    """One action at a known state, read through the solver's terms."""

    def __init__(self, system: System, faces: Sequence[int], snapshot: Snapshot) -> None:
        self.system = system
        self.translator = KnownDeal(system, faces)
        self.stepper = Stepper(system, self.translator)
        self.state = KnownState(system, snapshot)

    def _names(self, action: Action, args: Sequence[int]) -> Mapping[str, Term]:
        return {
            param.name: z3.BoolVal(bool(value)) if param.type == BOOL else z3.IntVal(value)
            for param, value in zip(action.params, args, strict=True)
        }

    def is_legal(self, action: Action, args: Sequence[int]) -> bool:
        scene = Scene(self.state, self._names(action, args))
        return all(number_of(self.translator.expr(guard.condition, scene)) for guard in action.guards)

    def transition(self, action: Action, args: Sequence[int]) -> tuple[Transition, State, int]:
        """The step, the state it leads to, and the end that decides there, counted from 1; 0 for none."""
        step = self.stepper.transition(action, self._names(action, args), self.state)
        at_once = bool(number_of(step.over_at_once))
        after: State = step.middle if at_once else step.after
        return step, after, number_of(self.stepper.end_term(after, late=not at_once))

    def score(self, state: State, end: int) -> int:
        expr = self.system.ends[end - 1].score if end else self.system.score
        return number_of(self.translator.expr(expr, Scene(state)))
