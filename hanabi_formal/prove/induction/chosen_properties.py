"""Chosen properties of a System proved by induction, with its other invariants as lemmas as far as they hold."""

from __future__ import annotations

from collections.abc import Sequence

from hanabi_formal.kernel.build import conj, disj, less, negate, number
from hanabi_formal.kernel.expr import Expr, vars_in
from hanabi_formal.kernel.system import System
from hanabi_formal.prove.induction.induction import Claims, Induction
from hanabi_formal.prove.induction.needed_lemmas import Guide, Key, Needs
from hanabi_formal.prove.properties import asked
from hanabi_formal.prove.verdicts import condition_of
from hanabi_formal.smt.translate import Beyond


def prove_all(
    system: System,
    prefix: str,
    reward: Sequence[Expr],
    points: int,
    advice: Needs | None = None,
    found: dict[Key, tuple[str, ...]] | None = None,
) -> str:
    """Nothing if all properties whose names begin so are proved; else which are not.

    And no end may score so many points unless `reward` holds. `advice` says which lemmas a question may need, and can
    only save time; which ones were needed goes into `found`, if that is wanted.
    """
    records = {var.name for var in system.variables if var.is_record}
    properties = asked(system)
    known = {
        prop.name: condition_of(prop)
        for prop in properties
        if prop.kind in ("invariant", "unreachable")
        and prop.refuted_because is None
        and not any(vars_in(expr) & records for expr in prop.exprs)
    }
    steps = {
        prop.name: conj(*prop.exprs) for prop in properties if prop.kind == "step" and prop.name.startswith(prefix)
    }
    for end in system.ends:
        scores = less(number(points), end.score, or_equal=True)
        known[f"the score of {end.name}"] = disj(negate(scores), conj(*reward))
    wanted = [name for name in (*known, *steps) if name.startswith((prefix, "the score of "))]
    try:
        while True:
            claims = Claims(known, steps, {}, structure=True)
            guide = Guide(known, advice, found)
            outcomes = Induction(system, tuple(known.values()), None, guide).prove(claims)
            lost = {name for name, outcome in outcomes.items() if not outcome.proved}
            owed = sorted(lost - known.keys() - steps.keys())
            if owed:
                return f"not proved: {', '.join(owed)}"
            if any(name in wanted for name in lost):
                return f"not proved: {', '.join(sorted(name for name in lost if name in wanted))}"
            if not lost:
                return ""
            known = {name: expr for name, expr in known.items() if name not in lost}
    except Beyond as problem:
        return f"not proved: {problem} cannot be expressed"
