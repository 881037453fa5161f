"""Which actions can be taken: ever, or in a given state; and that none can."""

from __future__ import annotations

from hanabi_formal.kernel.build import FALSE, conj, negate, quant
from hanabi_formal.kernel.expr import Ended, Expr
from hanabi_formal.kernel.system import Action, System


def can_never_be_taken(action: Action) -> bool:
    """Turned off for good: one of its guards is constantly false."""
    return any(guard.condition == FALSE for guard in action.guards)


def possible_actions(system: System) -> tuple[Action, ...]:
    return tuple(action for action in system.actions if not can_never_be_taken(action))


def enabled(action: Action) -> Expr:
    """Some choice of the parameters passes all guards."""
    condition = conj(*(guard.condition for guard in action.guards))
    return quant("exists", action.params, condition) if action.params else condition


def stuck(system: System) -> Expr:
    """A deadlock: the game goes on, and nothing may be done."""
    return conj(*(negate(condition) for condition in (Ended(-1), *map(enabled, possible_actions(system)))))
