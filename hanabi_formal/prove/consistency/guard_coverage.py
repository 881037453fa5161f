"""What guards decide: each allows something somewhere, and somewhere it alone forbids something."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from hanabi_formal.kernel.build import FALSE, TRUE, conj, negate, quant
from hanabi_formal.kernel.expr import Ended, Expr, Lit
from hanabi_formal.kernel.system import Action, Assign, Branch, Case, Guard, System
from hanabi_formal.kernel.types import show_value
from hanabi_formal.prove.consistency.case_coverage import flag_name, never_sets, with_flags
from hanabi_formal.prove.induction.solver_call import ProofOutcome
from hanabi_formal.prove.obligation import Obligation, ObligationKind
from hanabi_formal.prove.properties import can_never_be_taken
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState
from hanabi_formal.run.faults import Fault


@dataclass(frozen=True)
class PlacedGuard:
    """A guard with its place among those of its action."""

    action: Action
    number: int

    @property
    def guard(self) -> Guard:
        return self.action.guards[self.number]

    @property
    def name(self) -> str:
        return f"{self.action.name}.{self.guard.label or self.number + 1}"

    @property
    def obligation(self) -> Obligation:
        return Obligation.of(ObligationKind.GUARD, self.name, clauses=self.guard.clauses)

    @property
    def others(self) -> tuple[Guard, ...]:
        return (*self.action.guards[: self.number], *self.action.guards[self.number + 1 :])

    @property
    def is_constant(self) -> bool:
        return isinstance(self.guard.condition, Lit)

    # ---- as conditions on states -------------------------------------------------------------------
    @property
    def allows(self) -> Expr:
        """The game goes on, and for some choice of the parameters the guard holds."""
        return self._somewhere(self.guard.condition)

    @property
    def forbids(self) -> Expr:
        """The game goes on, and for some choice of the parameters nothing but this guard refuses."""
        return self._somewhere(negate(self.guard.condition), *(guard.condition for guard in self.others))

    def _somewhere(self, *conditions: Expr) -> Expr:
        return conj(negate(Ended(-1)), quant("exists", self.action.params, conj(*conditions)))

    # ---- as questions to a solver ------------------------------------------------------------------
    def never_allows(self, system: System, lemmas: tuple[Expr, ...]) -> ProofOutcome:
        return self._never(system, lemmas, (), self.guard.condition)

    def never_forbids(self, system: System, lemmas: tuple[Expr, ...]) -> ProofOutcome:
        return self._never(system, lemmas, self.others, negate(self.guard.condition))

    def _never(
        self, system: System, lemmas: tuple[Expr, ...], guards: tuple[Guard, ...], condition: Expr
    ) -> ProofOutcome:
        """An action that does nothing but set a flag where the condition holds never sets it."""
        flag = flag_name(system, 0)
        sets = Case((Branch(condition, (Assign(flag, (), TRUE),)),))
        probe = replace(self.action, guards=guards, first=(sets,), second=())
        return never_sets(replace(with_flags(system, [flag]), actions=(probe,)), probe.name, flag, lemmas)

    # ---- told ----------------------------------------------------------------------------------------
    def forbidden(self, compiled: Compiled, dealt: Dealt, state: PackedState) -> str:
        """An action that nothing but this guard refuses in a state."""
        interpreter = compiled.interpreter
        scene = interpreter.scene(compiled.snapshot(state), tuple(dealt[0]))
        params = self.action.params
        for args in interpreter.arguments(self.action):
            scene.locals.update((param.name, value) for param, value in zip(params, args, strict=True))
            with suppress(Fault):
                if interpreter.evaluate(self.guard.condition, scene):
                    continue
            shown = ", ".join(show_value(p.type, value) for p, value in zip(params, args, strict=True))
            try:
                if all(interpreter.evaluate(guard.condition, scene) for guard in self.others):
                    return f"{self.action.name}({shown})"
            except Fault:  # what comes after this guard need have no meaning without it
                return f"{self.action.name}({shown})"
        raise AssertionError(f"`{self.name}` refuses nothing here")


def guards_of(system: System) -> Iterator[PlacedGuard]:
    """Every guard that is worth a question: of an action that is turned off for good, only what turns it off."""
    for action in system.actions:
        off = can_never_be_taken(action)
        for number, guard in enumerate(action.guards):
            if not off or guard.condition == FALSE:
                yield PlacedGuard(action, number)
