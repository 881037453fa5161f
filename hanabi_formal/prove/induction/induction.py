"""Induction over steps: what holds at the start and is kept by every action holds in every reachable state."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from functools import partial

import z3

from hanabi_formal.kernel.build import conj, interval
from hanabi_formal.kernel.defined import always_defined, always_started
from hanabi_formal.kernel.depends import restrict
from hanabi_formal.kernel.expr import Ended, Expr, Ite, children, vars_in
from hanabi_formal.kernel.system import PropertyKind, System
from hanabi_formal.kernel.types import IntType, Type
from hanabi_formal.prove.induction.initial_state import holds_at_start, starts_in_type
from hanabi_formal.prove.induction.needed_lemmas import Guide, Lemmas, QueryOutcomes
from hanabi_formal.prove.induction.query import Query, counts_inside, written_out_types
from hanabi_formal.prove.induction.solver_call import PROVED, RESOURCES, ProofListener, ProofOutcome
from hanabi_formal.prove.induction.step_goals import (
    DISTINCT,
    EXISTENCE,
    Claims,
    StepCase,
    bounds_of,
    goals_after,
    step_cases,
)
from hanabi_formal.prove.obligation import Obligation, ObligationKind
from hanabi_formal.prove.properties import enabled, possible_actions
from hanabi_formal.smt.translate import Scene

FOLLOWS = "from those before it"
STILL = "when the game has ended"
EVERYWHERE = "in every state"
ProofOutcomes = dict[Obligation, ProofOutcome]


class Induction:
    """Proofs by induction for one system. Each obligation may use all invariants, and all bounds, before the step."""

    def __init__(
        self,
        system: System,
        lemmas: tuple[Expr, ...],
        listener: ProofListener | None = None,
        guide: Guide | None = None,
    ) -> None:
        kinds = (PropertyKind.STEP, PropertyKind.TERMINATES)
        steps = [expr for prop in system.properties if prop.kind in kinds for expr in prop.exprs]
        everything = [var.name for var in system.variables]
        self.system = restrict(system, [*lemmas, *steps], everything, reveals=True)
        self.lemmas = lemmas
        self.listener = listener
        self.guide = guide or Guide()
        # Rules cannot read records, so what does not speak of them has no use for what is known of them.
        self._records = frozenset(var.name for var in self.system.variables if var.is_record)
        self._plain_lemmas = tuple(lemma for lemma in lemmas if not self._about_records(lemma))
        plain = [*self._plain_lemmas, *(step for step in steps if not self._about_records(step))]
        self._plain = restrict(system, plain, [n for n in everything if n not in self._records], reveals=True)
        self._read = always_defined(system)

    def _about_records(self, expr: Expr) -> bool:
        return bool(vars_in(expr) & self._records)

    def _query(self, arbitrary: bool, records: bool, needed: Lemmas | None = None) -> Query:
        """With all lemmas, or with those that are known to be needed."""
        system, lemmas = (self.system, self.lemmas) if records else (self._plain, self._plain_lemmas)
        if needed is not None:
            lemmas = tuple(lemma for lemma in needed if lemma in lemmas)
        return Query(system, lemmas, arbitrary, self.listener)

    def _groups(self, claims: Claims, obligations: Iterable[Obligation]) -> Iterator[tuple[list[Obligation], bool]]:
        """Claims that go well into one query; and whether they speak of records.

        They speak of every value of the same types one by one.
        """
        found: dict[tuple[frozenset[Type], bool], list[Obligation]] = {}
        for obligation in obligations:
            exprs = claims.exprs(obligation)
            of_record = obligation.kind is ObligationKind.BOUNDS and obligation.subject[0] in self._records
            key = frozenset().union(*map(written_out_types, exprs)), of_record or any(map(self._about_records, exprs))
            found.setdefault(key, []).append(obligation)
        if claims.structure and self._records:
            found.setdefault((frozenset(), True), []).extend((DISTINCT, EXISTENCE))
        for (_, records), several in found.items():
            yield several, records

    def prove(self, claims: Claims, all_or_nothing: bool = False) -> ProofOutcomes:
        """All claims, before and after every action, whether it ends the game at once or not.

        An invariant must hold at the start too; one that follows, in any one state, from those written before it needs
        no step. An ended game stays as it is, and must keep the conditions on steps. One query asks for everything
        after an action; what fails there is asked again with every value of every type written out. If it is to be all
        or nothing, the first failure is everybody's.
        """
        found, settled = self._before_steps(claims)
        for case in step_cases(self.system):
            left = [one for one, outcome in found.items() if one not in settled and outcome.proved]
            for several, records in self._groups(claims, left):
                question = partial(self._asked_after, claims, several, case, records, not all_or_nothing)
                outcomes = self.guide.ask(case.where, several, question)
                failed = [one for one, outcome in outcomes.items() if not outcome.proved]
                if failed and all_or_nothing:
                    return dict.fromkeys(found, outcomes[failed[0]])
                if failed:
                    outcomes |= self._after(claims, failed, case, self._query(False, records))
                # The first thing that stood in the way of each is kept.
                found |= {one: new.under(case.action.name) for one, new in outcomes.items() if found[one].proved}
        return found

    def _asked_after(
        self,
        claims: Claims,
        wanted: list[Obligation],
        case: StepCase,
        records: bool,
        apart: bool,
        needed: Lemmas | None,
    ) -> QueryOutcomes:
        query = self._query(True, records, needed)
        return self._after(claims, wanted, case, query, apart), query

    def _before_steps(self, claims: Claims) -> tuple[ProofOutcomes, set[Obligation]]:
        """What is known without a step, and for which claims that is all."""
        found: ProofOutcomes = {}
        settled: set[Obligation] = set()
        earlier: list[Expr] = []
        for one, expr in claims.invariants.items():
            timeless = not _asks_for_ends(expr)
            # Only what counts is ever easier to conclude than to keep.
            if timeless and counts_inside(expr) and self._follows(one, expr, earlier):
                found[one] = PROVED
                settled.add(one)
            else:
                found[one] = holds_at_start(self.system, expr, self._at_start(one))
            earlier += [expr] if timeless else []
        for one, expr in claims.steps.items():
            found |= self.guide.ask(STILL, [one], partial(self._still, one, expr))
        for one, ranking in claims.rankings.items():
            low = [number for number, part in enumerate(ranking, 1) if interval(part)[0] < 0]
            found[one] = ProofOutcome(False, f"number {low[0]} of the ranking may be negative") if low else PROVED
        if claims.structure:
            for var in self.system.variables:
                owed = bounds_of(var.name)
                found[owed] = starts_in_type(self.system, var.name, self._at_start(owed))
            found[DISTINCT] = PROVED
            first = conj(self._read, always_started(self.system))
            found[EXISTENCE] = holds_at_start(self.system, first, self._at_start(EXISTENCE))
        return found, settled

    def _follows(self, one: Obligation, expr: Expr, known: list[Expr]) -> bool:
        """Does it hold in any one state in which those do, however the game has ended there, or not?"""
        if not self.guide.follows((FOLLOWS, (one,))):
            return False
        records = self._about_records(expr)
        useful = tuple(lemma for lemma in known if records or not self._about_records(lemma))

        def question(needed: Lemmas | None) -> QueryOutcomes:
            lemmas = useful if needed is None else tuple(lemma for lemma in needed if lemma in useful)
            query = Query(self.system, lemmas, True, self.listener, RESOURCES // 10, thorough=True)
            query.where = FOLLOWS
            query.end = z3.Int("end")
            return query.prove_one(one, expr, Scene(query.state, end=query.end))

        return self.guide.ask(FOLLOWS, [one], question)[one].proved

    def _still(self, one: Obligation, expr: Expr, needed: Lemmas | None) -> QueryOutcomes:
        """Nothing changes any more."""
        query = self._query(True, self._about_records(expr), needed)
        query.where = STILL
        return query.prove_one(one, expr, query.stand_still())

    def _at_start(self, one: Obligation) -> Callable[[str], None] | None:
        return None if self.listener is None else partial(self.listener, serves=(one,), where="at the start")

    def _after(
        self, claims: Claims, wanted: Container[Obligation], case: StepCase, query: Query, apart: bool = True
    ) -> ProofOutcomes:
        goals = goals_after(query, claims, wanted, case, self._read)
        outcomes = query.prove([z3.And(*terms) for terms in goals.values()], list(goals), apart)
        return dict(zip(goals, outcomes, strict=True))

    def always_enabled(self, one: Obligation) -> ProofOutcomes:
        """In every state that has not ended some action is legal."""

        def question(needed: Lemmas | None) -> QueryOutcomes:
            query = self._query(False, False, needed)
            query.where = EVERYWHERE
            query.assumed += query.stepper.no_end(query.state)
            scene = Scene(query.state)
            goal = z3.Or(*(query.translator.expr(enabled(action), scene) for action in possible_actions(self.system)))
            return {one: query.prove([goal], [one])[0]}, query

        return self.guide.ask(EVERYWHERE, [one], question)


def _asks_for_ends(expr: Expr) -> bool:
    """Does it ask how the game has ended, other than by the score that an end gives?"""
    match expr:
        case Ended():
            return True
        case Ite(Ended(), then, otherwise) if isinstance(then.type, IntType):
            return _asks_for_ends(then) or _asks_for_ends(otherwise)
    return any(map(_asks_for_ends, children(expr)))
