"""Chosen properties of a System proved by induction, with its other invariants as lemmas as far as they hold."""

from __future__ import annotations

from collections.abc import Sequence

from hanabi_formal.kernel.build import conj, disj, less, negate, number
from hanabi_formal.kernel.expr import Expr, vars_in
from hanabi_formal.kernel.system import PropertyKind, System
from hanabi_formal.prove.induction.induction import Induction
from hanabi_formal.prove.induction.needed_lemmas import Guide, NamedLemmas, QuestionKey, named_needs, read_needs
from hanabi_formal.prove.induction.step_goals import Claims
from hanabi_formal.prove.obligation import Obligation, ObligationKind, ObligationNames
from hanabi_formal.prove.properties import OF_STATES, asked, condition_of
from hanabi_formal.smt.translate import Beyond


def prove_all(
    system: System,
    prefix: str,
    reward: Sequence[Expr],
    points: int,
    advice: NamedLemmas | None = None,
    found: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] | None = None,
) -> str:
    """Nothing if all properties whose names begin so, and that each has a meaning, are proved; else which are not.

    And no end may score so many points unless `reward` holds. `advice` says which lemmas a question may need, and can
    only save time; which ones were needed goes into `found`, if that is wanted.

    Lemmas are chosen as Houdini does: all invariants are assumed, and those that fail are dropped until none does.
    """
    records = {var.name for var in system.variables if var.is_record}
    properties = asked(system)
    known = {
        one: condition_of(prop)
        for one, prop in properties.items()
        if prop.kind in OF_STATES
        and prop.refuted_because is None
        and not any(vars_in(expr) & records for expr in prop.exprs)
    }
    steps = {
        one: conj(*prop.exprs)
        for one, prop in properties.items()
        if prop.kind == PropertyKind.STEP and one.subject[0].startswith(prefix)
    }
    for end in system.ends:
        scores = less(number(points), end.score, or_equal=True)
        known[Obligation.of(ObligationKind.SCORE, end.name)] = disj(negate(scores), conj(*reward))
    wanted = {o for o in (*known, *steps) if o.kind is ObligationKind.SCORE or o.subject[0].startswith(prefix)}
    needs = read_needs(ObligationNames(system), advice) if advice else None
    needed: dict[QuestionKey, tuple[Obligation, ...]] | None = None if found is None else {}
    try:
        while True:
            claims = Claims(known, steps, structure=True)
            outcomes = Induction(system, tuple(known.values()), None, Guide(known, needs, needed)).prove(claims)
            lost = {one for one, outcome in outcomes.items() if not outcome.proved}
            missing = lost - known.keys() - steps.keys() or lost & wanted
            if missing or not lost:
                break
            known = {one: expr for one, expr in known.items() if one not in lost}
    except Beyond as problem:
        return f"not proved: {problem} cannot be expressed"
    finally:
        if found is not None:
            found |= named_needs(needed or {})
    return f"not proved: {', '.join(sorted(one.name for one in missing))}" if missing else ""
