"""Properties that say nothing: an implication whose premise never comes true holds whatever the rules are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hanabi_formal.kernel.build import TRUE, conj, negate, quant
from hanabi_formal.kernel.defined import defined
from hanabi_formal.kernel.expr import Attr, Ended, Expr, Get, Local, Op, Quant, walk
from hanabi_formal.kernel.system import Property, PropertyKind, System
from hanabi_formal.prove.induction.one_condition import holds_always, never, speaks_of_next
from hanabi_formal.prove.induction.solver_call import ProofOutcome
from hanabi_formal.prove.obligation import Obligation, ObligationKind
from hanabi_formal.prove.properties import OF_STATES

KINDS = (*OF_STATES, PropertyKind.STEP)


@dataclass(frozen=True)
class Premise:
    """What must come true for a property to demand anything: of a state, or of a step where it speaks of the next."""

    prop: Property
    number: int
    condition: Expr

    @property
    def obligation(self) -> Obligation:
        return Obligation.of(ObligationKind.PREMISE, str(self.number), self.prop.name, clauses=self.prop.clauses)

    @property
    def of_a_step(self) -> bool:
        return speaks_of_next(self.condition)

    def never(self, system: System, lemmas: tuple[Expr, ...]) -> ProofOutcome:
        """Is it proved that the premise never comes true?"""
        return holds_always(system, never(self.condition), lemmas)


def premises(system: System) -> Iterator[Premise]:
    """Those of every property that should hold. What is expected to be refuted is no empty promise."""
    for prop in system.properties:
        if prop.kind not in KINDS or prop.refuted_because is not None:
            continue
        found: list[Expr] = []
        for expr in prop.exprs:
            found += _first_part(expr, ()) if prop.kind == PropertyKind.UNREACHABLE else _premises(expr, (), TRUE)
        for number, condition in enumerate(dict.fromkeys(found), 1):
            yield Premise(prop, number, conj(defined(system, condition), condition))


def _premises(expr: Expr, binders: tuple[Local, ...], given: Expr) -> Iterator[Expr]:
    """`A implies B` is `not A or B` here. What comes first must fail, or the rest is never asked for."""
    match expr:
        case Quant("forall", more, body):
            yield from _premises(body, (*binders, *more), given)
        case Op("and", args):
            for arg in args:
                yield from _premises(arg, binders, given)
        case Op("or", (first, *rest)):
            met = [negate(first)]
            while len(rest) > 1 and _is_negation(rest[0]):
                met.append(negate(rest.pop(0)))
            premise = conj(given, *met)
            yield _closed(premise, binders)
            for arg in rest:
                yield from _premises(arg, binders, premise)


def _is_negation(expr: Expr) -> bool:
    return isinstance(expr, Op) and expr.op == "not"


def _first_part(expr: Expr, binders: tuple[Local, ...]) -> Iterator[Expr]:
    """`A and B` never holds: whenever A does, B does not."""
    match expr:
        case Quant("exists", more, body):
            yield from _first_part(body, (*binders, *more))
        case Op("and", (first, *_)):
            yield _closed(first, binders)


def _closed(condition: Expr, binders: tuple[Local, ...]) -> Expr:
    return quant("exists", binders, condition) if binders else condition


def rigid_part(condition: Expr) -> Expr | None:
    """As much of a condition as the deal decides; None if the deal decides nothing by itself."""
    part = _rigid(condition)
    return part if any(isinstance(node, Attr) for node in walk(part)) else None


def _rigid(expr: Expr) -> Expr:
    match expr:
        case Quant("exists", binders, body):
            return quant("exists", binders, _rigid(body))
        case Op("and", args):
            return conj(*map(_rigid, args))
        case Op("not", (Op("or", args),)):
            return conj(*(_rigid(negate(arg)) for arg in args))
    return TRUE if any(isinstance(node, Get | Ended) for node in walk(expr)) else expr
