"""Induction over steps: what holds at the start and is kept by every action holds in every reachable state."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

import z3

from hanabi_formal.kernel.build import FALSE, conj, interval, quant
from hanabi_formal.kernel.defined import always_defined, always_started, defined, one_after_the_other
from hanabi_formal.kernel.depends import restrict
from hanabi_formal.kernel.expr import Ended, Expr, Ite, children, vars_in
from hanabi_formal.kernel.system import Action, System
from hanabi_formal.kernel.types import IntType, Type, type_values
from hanabi_formal.prove.induction.initial_state import AtStart
from hanabi_formal.prove.induction.needed_lemmas import Asked, Guide, Lemmas
from hanabi_formal.prove.induction.query import (
    RESOURCES,
    Outcome,
    Query,
    Witness,
    ask,
    counts_inside,
    written_out_types,
)
from hanabi_formal.smt.counts import GroundCounts
from hanabi_formal.smt.states import State, in_type, term_sort
from hanabi_formal.smt.step import Stepper, Transition
from hanabi_formal.smt.terms import Term, all_of, implies, no
from hanabi_formal.smt.translate import Scene, Translator

__all__ = ["BOUNDS", "DISTINCT", "EXISTENCE", "Claims", "Induction", "Outcome", "Query", "enabled", "holds_at_start"]

BOUNDS = "bounds of "
DISTINCT = "distinct writes"
EXISTENCE = "every individual exists"
FOLLOWS = "from those before it"
STILL = "when the game has ended"
EVERYWHERE = "in every state"


def where(action: Action, at_once: bool) -> str:
    return f"after {action.name}" + (", which ends the game at once" if at_once else "")


class Initial:
    """The first state, for every deal: what the rules say of each variable."""

    def __init__(self, system: System, translator: Translator) -> None:
        self.system = system
        self.translator = translator
        self._inits = {init.var: init for init in system.inits}

    def read(self, var: str, index: tuple[Term, ...]) -> Term:
        init = self._inits[var]
        names = {binder.name: term for binder, term in zip(init.binders, index, strict=True)}
        return self.translator.expr(init.value, Scene(self, names))


def holds_at_start(system: System, expr: Expr, witness: Callable[[str], None] | None = None) -> Outcome:
    """For every deal. Only what depends on the deal is a question for the solver."""
    known = AtStart(system).holds(expr)
    if known is not None:
        return Outcome(known, "" if known else "false at the start", 0)
    counts = GroundCounts()
    translator = Translator(system, counts)
    counts.translator = translator
    state: State = Initial(system, translator)
    end = Stepper(system, translator).end_term(state, late=True)
    found = ask([], translator.expr(expr, Scene(state, end=end)), witness=witness)
    return found if found.proved else Outcome(False, "perhaps false at the start", found.used)


@dataclass(frozen=True)
class Claims:
    """What is to be shown of all steps: conditions on states, on a state and the next, and numbers that fall."""

    invariants: Mapping[str, Expr] = field(default_factory=dict)
    steps: Mapping[str, Expr] = field(default_factory=dict)
    rankings: Mapping[str, tuple[Expr, ...]] = field(default_factory=dict)
    structure: bool = False

    def exprs(self, name: str) -> tuple[Expr, ...]:
        expr = self.invariants.get(name) or self.steps.get(name)
        return self.rankings.get(name, ()) if expr is None else (expr,)


class Induction:
    """Proofs by induction for one system. Each obligation may use all invariants, and all bounds, before the step."""

    def __init__(
        self, system: System, lemmas: tuple[Expr, ...], witness: Witness | None = None, guide: Guide | None = None
    ) -> None:
        steps = [expr for p in system.properties if p.kind in ("step", "terminates") for expr in p.exprs]
        everything = [var.name for var in system.variables]
        self.system = restrict(system, [*lemmas, *steps], everything, reveals=True)
        self.lemmas = lemmas
        self.witness = witness
        self.guide = guide or Guide()
        # Rules cannot read records, so what does not speak of them has no use for what is known of them.
        self._records = frozenset(var.name for var in self.system.variables if var.is_record)
        self._plain_lemmas = tuple(lemma for lemma in lemmas if not vars_in(lemma) & self._records)
        plain = [*self._plain_lemmas, *(s for s in steps if not vars_in(s) & self._records)]
        self._plain = restrict(system, plain, [n for n in everything if n not in self._records], reveals=True)
        self._read = always_defined(system)
        self.actions = tuple(
            action for action in self.system.actions if not any(guard.condition == FALSE for guard in action.guards)
        )

    def _query(self, arbitrary: bool, records: bool, needed: Lemmas | None = None) -> Query:
        """With all lemmas, or with those that are known to be needed."""
        system, lemmas = (self.system, self.lemmas) if records else (self._plain, self._plain_lemmas)
        if needed is not None:
            lemmas = tuple(lemma for lemma in needed if lemma in lemmas)
        return Query(system, lemmas, arbitrary, self.witness)

    def _groups(self, claims: Claims, names: Iterable[str]) -> Iterator[tuple[list[str], bool]]:
        """Claims that go well into one query; and whether they speak of records.

        They speak of every value of the same types one by one.
        """
        found: dict[tuple[frozenset[Type], bool], list[str]] = {}
        for name in names:
            exprs = claims.exprs(name)
            records = name.removeprefix(BOUNDS) in self._records or any(vars_in(expr) & self._records for expr in exprs)
            key = frozenset().union(*map(written_out_types, exprs)), records
            found.setdefault(key, []).append(name)
        if claims.structure and self._records:
            found.setdefault((frozenset(), True), []).extend((DISTINCT, EXISTENCE))
        for (_, records), several in found.items():
            yield several, records

    def prove(self, claims: Claims, all_or_nothing: bool = False) -> dict[str, Outcome]:
        """All claims, before and after every action, whether it ends the game at once or not.

        An invariant must hold at the start too; one that follows, in any one state, from those written before it needs
        no step. An ended game stays as it is, and must keep the conditions on steps. One query asks for everything
        after an action; what fails there is asked again with every value of every type written out. If it is to be all
        or nothing, the first failure is everybody's.
        """
        found = self._before_steps(claims)
        for action in self.actions:
            for at_once in (True, False):
                open_ones = [name for name, (outcome, settled) in found.items() if not settled and outcome.proved]
                for names, records in self._groups(claims, open_ones):
                    asked = partial(self._asked_after, claims, names, action, at_once, records, not all_or_nothing)
                    outcomes = self.guide.ask(where(action, at_once), names, asked)
                    failed = [name for name, outcome in outcomes.items() if not outcome.proved]
                    if failed and all_or_nothing:
                        return dict.fromkeys(found, outcomes[failed[0]])
                    if failed:
                        outcomes |= self._after(claims, failed, action, at_once, self._query(False, records))
                    _note(found, outcomes, action)
        return {name: outcome for name, (outcome, _) in found.items()}

    def _asked_after(
        self,
        claims: Claims,
        names: list[str],
        action: Action,
        at_once: bool,
        records: bool,
        apart: bool,
        needed: Lemmas | None,
    ) -> Asked:
        query = self._query(True, records, needed)
        return self._after(claims, names, action, at_once, query, apart), query

    def invariants(self, exprs: Mapping[str, Expr]) -> dict[str, Outcome]:
        return self.prove(Claims(invariants=exprs))

    def _before_steps(self, claims: Claims) -> dict[str, tuple[Outcome, bool]]:
        """What is known without a step, and whether that is all."""
        found: dict[str, tuple[Outcome, bool]] = {}
        earlier: list[Expr] = []
        for name, expr in claims.invariants.items():
            timeless = not _asks_for_ends(expr)
            # Only what counts is ever easier to conclude than to keep.
            follows = timeless and counts_inside(expr) and self._follows(name, expr, earlier)
            start = Outcome(True, "", 0) if follows else holds_at_start(self.system, expr, self._at_start(name))
            found[name] = (start, follows)
            earlier += [expr] if timeless else []
        for name, expr in claims.steps.items():
            found |= {n: (o, False) for n, o in self.guide.ask(STILL, [name], partial(self._still, name, expr)).items()}
        for name, ranking in claims.rankings.items():
            low = [number for number, part in enumerate(ranking, 1) if interval(part)[0] < 0]
            detail = f"number {low[0]} of the ranking may be negative" if low else ""
            found[name] = (Outcome(not low, detail, 0), bool(low))
        if claims.structure:
            for var in self.system.variables:
                found[f"{BOUNDS}{var.name}"] = (self._starts_in_type(var.name), False)
            found[DISTINCT] = (Outcome(True, "", 0), False)
            first = conj(self._read, always_started(self.system))
            found[EXISTENCE] = (holds_at_start(self.system, first, self._at_start(EXISTENCE)), False)
        return found

    def _follows(self, name: str, expr: Expr, known: list[Expr]) -> bool:
        """Does it hold in any one state in which those do, however the game has ended there, or not?"""
        if not self.guide.follows((FOLLOWS, (name,))):
            return False
        records = bool(vars_in(expr) & self._records)
        useful = tuple(lemma for lemma in known if records or not vars_in(lemma) & self._records)

        def question(needed: Lemmas | None) -> Asked:
            lemmas = useful if needed is None else tuple(lemma for lemma in needed if lemma in useful)
            query = Query(self.system, lemmas, True, self.witness, RESOURCES // 10, thorough=True)
            query.where = FOLLOWS
            query.end = z3.Int("end")
            scene = Scene(query.state, end=query.end)
            return {name: query.prove([z3.And(*query.goals(expr, scene))], [name])[0]}, query

        return self.guide.ask(FOLLOWS, [name], question)[name].proved

    def _still(self, name: str, expr: Expr, needed: Lemmas | None) -> Asked:
        """Nothing changes any more."""
        query = self._query(True, bool(vars_in(expr) & self._records), needed)
        query.where = STILL
        scene = query.stand_still()
        return {name: query.prove([z3.And(*query.goals(expr, scene))], [name])[0]}, query

    def _at_start(self, name: str) -> Callable[[str], None] | None:
        return None if self.witness is None else partial(self.witness, serves=(name,), where="at the start")

    def _after(
        self, claims: Claims, wanted: Container[str], action: Action, at_once: bool, query: Query, apart: bool = True
    ) -> dict[str, Outcome]:
        query.where = where(action, at_once)
        step = query.step(query.system.action(action.name))
        query.assumed.append(step.over_at_once if at_once else z3.Not(step.over_at_once))
        after = step.middle if at_once else step.after
        end = query.stepper.end_term(after, late=not at_once)
        goals: dict[str, list[Term]] = {}
        for name, expr in claims.invariants.items():
            if name in wanted:
                goals[name] = list(query.goals(expr, Scene(after, end=end)))
        for name, expr in claims.steps.items():
            if name in wanted:
                scene = Scene(query.state, after=after, end=z3.IntVal(0), end_after=end)
                goals[name] = list(query.goals(expr, scene))
        for name, ranking in claims.rankings.items():
            if name in wanted:
                goals[name] = self._lower(query, ranking, after, end)
        if claims.structure:
            goals |= {name: terms for name, terms in self._structure(query, step, at_once).items() if name in wanted}
            if EXISTENCE in wanted and vars_in(self._read) <= {var.name for var in query.system.variables}:
                goals[EXISTENCE] += query.goals(self._read, Scene(after, end=end))
        outcomes = query.prove([z3.And(*terms) for terms in goals.values()], list(goals), apart)
        return dict(zip(goals, outcomes, strict=True))

    @staticmethod
    def _lower(query: Query, ranking: tuple[Expr, ...], after: State, end: Term) -> list[Term]:
        """All numbers have a meaning before the step and after it, and the first that changes goes down."""
        scenes = Scene(query.state, end=query.end), Scene(after, end=end)
        meaning = defined(query.system, *ranking)
        lower: Term = z3.BoolVal(False)
        for part in reversed(ranking):
            old, new = (query.translator.expr(part, scene) for scene in scenes)
            lower = z3.Or(new < old, z3.And(new == old, lower))
        return [*(goal for scene in scenes for goal in query.goals(meaning, scene)), lower]

    @staticmethod
    def _structure(query: Query, step: Transition, at_once: bool) -> dict[str, list[Term]]:
        """Every value written is of its type, every place written exists, and no place is written twice at once."""
        goals: dict[str, list[Term]] = {f"{BOUNDS}{var.name}": [] for var in query.system.variables}
        tried = (ending.condition for ending in query.system.ends if not ending.late)
        ends = one_after_the_other(query.system, tried, until=True)
        goals |= {DISTINCT: [], EXISTENCE: list(query.goals(ends, Scene(step.middle)))}
        parts = [step.middle]
        if not at_once:
            parts.append(step.after)
        for owed in (owed for part in step.defined[: len(parts)] for owed in part):
            goals[EXISTENCE].append(implies(owed.when, all_of(*query.goals(owed.expr, owed.scene))))
        for part in parts:
            for number, write in enumerate(part.writes):
                variable = query.system.variable(write.var)
                anywhere = write.index
                if write.at is not None:
                    anywhere = query.any_values(variable.index)
                written, value = write.here(anywhere)
                inside = [in_type(term, kind) for term, kind in zip(anywhere, variable.index, strict=True)]
                right = all_of(in_type(value, variable.type), *inside)
                goals[f"{BOUNDS}{write.var}"].append(implies(written, right))
                for other in part.writes[:number]:
                    if other.var == write.var:
                        place = other.index if write.at is not None and other.at is None else anywhere
                        goals[DISTINCT].append(no(all_of(write.here(place)[0], other.here(place)[0])))
        return goals

    def always_enabled(self, name: str) -> dict[str, Outcome]:
        """In every state that has not ended some action is legal."""

        def question(needed: Lemmas | None) -> Asked:
            query = self._query(False, False, needed)
            query.where = EVERYWHERE
            query.assumed += query.stepper.no_end(query.state, late=True)
            scene = Scene(query.state)
            goal = z3.Or(*(query.translator.expr(enabled(action), scene) for action in self.actions))
            return {name: query.prove([goal], [name])[0]}, query

        return self.guide.ask(EVERYWHERE, [name], question)

    def _starts_in_type(self, var: str) -> Outcome:
        init = next(init for init in self.system.inits if init.var == var)
        allowed = self.system.variable(var).type
        values = type_values(allowed)
        low, high = interval(init.value)
        if values.start <= low and high <= values[-1]:
            return Outcome(True, "", 0)
        counts = GroundCounts()
        translator = Translator(self.system, counts)
        counts.translator = translator
        names = {binder.name: z3.Const(f"i{n}", term_sort(binder.type)) for n, binder in enumerate(init.binders)}
        facts = [in_type(names[binder.name], binder.type) for binder in init.binders]
        value = translator.expr(init.value, Scene(Initial(self.system, translator), names))
        found = ask(facts, in_type(value, allowed), witness=self._at_start(f"{BOUNDS}{var}"))
        return found if found.proved else Outcome(False, "perhaps outside them at the start", found.used)


def _asks_for_ends(expr: Expr) -> bool:
    """Does it ask how the game has ended, other than by the score that an end gives?"""
    match expr:
        case Ended():
            return True
        case Ite(Ended(), then, otherwise) if isinstance(then.type, IntType):
            return _asks_for_ends(then) or _asks_for_ends(otherwise)
    return any(map(_asks_for_ends, children(expr)))


def enabled(action: Action) -> Expr:
    """Some choice of the parameters passes all guards."""
    condition = conj(*(guard.condition for guard in action.guards))
    return quant("exists", action.params, condition) if action.params else condition


def _note(found: dict[str, tuple[Outcome, bool]], outcomes: Mapping[str, Outcome], action: Action) -> None:
    """Keep the first thing that stood in the way of each."""
    for name, outcome in outcomes.items():
        known, settled = found[name]
        if settled or not known.proved:
            continue
        detail = "" if outcome.proved else f"{outcome.detail} under `{action.name}`"
        found[name] = (Outcome(outcome.proved, detail, known.used + outcome.used), False)
