"""Conditions as they are asked: a property fails where it has no meaning; and which actions are enabled.

That a property has a meaning is asked besides: of states in every state, of steps at every step, of what an action is
said to reveal wherever the action is legal. What is to be reached is reached only where it has one, and owes nothing
elsewhere.
"""

from __future__ import annotations

from dataclasses import replace

from hanabi_formal.kernel.build import FALSE, TRUE, conj, disj, negate, quant, substitute
from hanabi_formal.kernel.defined import defined, implies
from hanabi_formal.kernel.expr import Ended, Expr
from hanabi_formal.kernel.system import Action, Property, PropertyKind, System
from hanabi_formal.prove.obligation import Obligation, ObligationKind

OF_STATES = (PropertyKind.INVARIANT, PropertyKind.UNREACHABLE)
"""Kinds that say of every state that a condition holds there, or does not."""


def asked(system: System) -> dict[Obligation, Property]:
    """All properties; those that the types do not give a meaning everywhere come after the obligation to have one."""
    found: dict[Obligation, Property] = {}
    for prop in system.properties:
        if prop.kind == PropertyKind.DEFECT:
            continue
        meaning = meaning_of(system, prop)
        if meaning != TRUE and prop.kind != PropertyKind.REACHABLE:
            kind = PropertyKind.STEP if prop.kind == PropertyKind.STEP else PropertyKind.INVARIANT
            owed = Obligation.of(ObligationKind.MEANING, prop.name, clauses=prop.clauses)
            found[owed] = Property(kind, owed.name, (), (meaning,), None, None, prop.clauses, prop.span)
        found[Obligation.declared(prop)] = _where_it_has_one(prop, meaning)
    return found


def as_asked(system: System, prop: Property) -> Property:
    """One property, false where it has no meaning."""
    return _where_it_has_one(prop, meaning_of(system, prop))


def condition_of(prop: Property) -> Expr:
    """What must hold in every state; of a property as it is asked."""
    whole = conj(*prop.exprs)
    return negate(whole) if prop.kind == PropertyKind.UNREACHABLE else whole


def meaning_of(system: System, prop: Property) -> Expr:
    """What must be so for a property to have a meaning where it is asked; `true` where the types say so."""
    if prop.told is None:
        return defined(system, *prop.exprs)
    action = system.action(prop.told.action)
    names: dict[str, Expr] = {own.name: local for own, local in zip(action.params, prop.params, strict=True)}
    legal = conj(negate(Ended(-1)), *(substitute(guard.condition, names) for guard in action.guards))
    told = said_of_facts(system, prop)
    wherever = implies(legal, told) if told != TRUE else TRUE
    return quant("forall", prop.params, wherever) if prop.params else wherever


def said_of_facts(system: System, prop: Property) -> Expr:
    """Of what an action is said to reveal: that it has a meaning in the state before, for these arguments."""
    assert prop.told is not None
    told = prop.told
    facts = conj(defined(system, told.where), implies(told.where, defined(system, *prop.exprs)))
    return quant("forall", told.binders, facts) if told.binders else facts


def _where_it_has_one(prop: Property, meaning: Expr) -> Property:
    """The numbers of a ranking, and what is told, are asked for their meaning where they are compared."""
    match prop.kind:
        case _ if meaning == TRUE:
            return prop
        case PropertyKind.INVARIANT | PropertyKind.STEP | PropertyKind.REACHABLE:
            return replace(prop, exprs=(conj(meaning, *prop.exprs),))
        case PropertyKind.UNREACHABLE:
            return replace(prop, exprs=(disj(negate(meaning), conj(*prop.exprs)),))
    return prop


# ---- actions -----------------------------------------------------------------------------------------
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
