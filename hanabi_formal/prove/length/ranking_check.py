"""Does every step lower a weighted sum? Asked of a solver for any state, and answered with a step that does not."""

from __future__ import annotations

from dataclasses import dataclass

import z3

from hanabi_formal.kernel.depends import restrict
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import Action, System
from hanabi_formal.prove.induction.query import Query
from hanabi_formal.prove.induction.solver_call import ProofListener, new_solver
from hanabi_formal.prove.length.measures import Candidate, MeasuredState, Measures
from hanabi_formal.prove.properties import possible_actions
from hanabi_formal.smt.states import TermState
from hanabi_formal.smt.terms import Term
from hanabi_formal.smt.translate import Scene


@dataclass(frozen=True)
class Sample:
    """The measures before an action and after it; None if it ended the game."""

    before: MeasuredState
    after: MeasuredState | None


class _StepQuery(Query):
    """One action in any state. The solver keeps what it learnt from one candidate to the next."""

    def __init__(self, system: System, lemmas: tuple[Expr, ...], measures: Measures, action: Action) -> None:
        super().__init__(system, lemmas)
        self.where = f"after {action.name}"
        step = self.step(action)
        self.after: TermState = step.after
        self.goes_on = z3.And(z3.Not(step.over_at_once), *self.stepper.no_end(step.after))
        self._before = self._measured(measures, self.state)
        self._after = self._measured(measures, step.after)
        self._solver = new_solver(facts=self.facts())

    def _measured(self, measures: Measures, state: TermState) -> tuple[list[Term], list[Term]]:
        scene = Scene(state, end=z3.IntVal(0))
        numbers = [self.translator.expr(expr, scene) for expr in measures.numbers]
        return numbers, [self.translator.expr(expr, scene) for expr in measures.switches]

    def descends(self, candidate: Candidate) -> Term:
        """One action is left at least, and if the game goes on, there is one action less after this one."""
        before = self.translator.expr(candidate.expr, Scene(self.state, end=z3.IntVal(0)))
        after = self.translator.expr(candidate.expr, Scene(self.after, end=z3.IntVal(0)))
        one = candidate.scale
        return z3.And(before >= one, z3.Implies(self.goes_on, after <= before - one))

    def sample_against(self, candidate: Candidate) -> Sample | None:
        """A step that does not descend; None if the solver knows none."""
        self._solver.push()
        self._solver.add(z3.Not(self.descends(candidate)))
        found = None
        if self._solver.check() == z3.sat:
            model = self._solver.model()
            goes_on = z3.is_true(model.eval(self.goes_on, model_completion=True))
            found = Sample(_read(model, self._before), _read(model, self._after) if goes_on else None)
        self._solver.pop()
        return found


def _read(model: z3.ModelRef, terms: tuple[list[Term], list[Term]]) -> MeasuredState:
    numbers = tuple(model.eval(term, model_completion=True).as_long() for term in terms[0])
    switches = tuple(int(z3.is_true(model.eval(term, model_completion=True))) for term in terms[1])
    return MeasuredState(numbers, switches)


class Descent:
    """All actions of a system, with the lemmas as what is known of the state before."""

    def __init__(
        self, system: System, lemmas: tuple[Expr, ...], measures: Measures, listener: ProofListener | None
    ) -> None:
        small = restrict(system, [*lemmas, *measures.numbers, *measures.switches])
        self._questions = [_StepQuery(small, lemmas, measures, action) for action in possible_actions(small)]
        for question in self._questions:
            question.listener = listener

    def samples_against(self, candidate: Candidate) -> list[Sample]:
        found = (question.sample_against(candidate) for question in self._questions)
        return [sample for sample in found if sample is not None]

    def is_proved(self, candidate: Candidate) -> bool:
        """Asked once more, of fresh solvers."""
        return all(question.prove([question.descends(candidate)])[0].proved for question in self._questions)
