"""Induction over steps: what holds at the start and is kept by every action holds in every reachable state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import z3

from hanabi_formal.kernel.build import FALSE, conj, interval, quant
from hanabi_formal.kernel.depends import restrict
from hanabi_formal.kernel.expr import Cast, Expr, Local, Op, Quant, locals_in, walk
from hanabi_formal.kernel.system import Action, Assign, Block, Case, ForEach, Reveal, System
from hanabi_formal.kernel.types import type_values
from hanabi_formal.prove.start import AtStart
from hanabi_formal.smt.counts import AbstractCounts, GroundCounts
from hanabi_formal.smt.states import State, Term, Unknown, in_type, term_sort
from hanabi_formal.smt.step import Stepper, Transition
from hanabi_formal.smt.translate import Scene, Translator, is_large

RESOURCES = 20_000_000


@dataclass(frozen=True)
class Outcome:
    """`proved`, or `undecided` with what stood in the way."""

    proved: bool
    detail: str
    used: int


def block_exprs(block: Block) -> Iterator[Expr]:
    for statement in block:
        match statement:
            case Assign(_, index, value):
                yield from index
                yield value
            case Case(branches):
                for branch in branches:
                    yield branch.condition
                    yield from block_exprs(branch.block)
            case ForEach(_, where, inner):
                yield where
                yield from block_exprs(inner)
            case Reveal():
                pass


class Query:
    """One question to a fresh solver: hypotheses about a state, maybe a step, and a goal."""

    def __init__(self, system: System, hypotheses: tuple[Expr, ...]) -> None:
        self.system = system
        self.hypotheses = hypotheses
        self.counts = AbstractCounts()
        self.translator = Translator(system, self.counts)
        self.counts.translator = self.translator
        self.stepper = Stepper(system, self.translator)
        self.state = Unknown(system, "0")
        self.places: list[Term] = []
        self.assumed: list[Term] = []

    def arguments(self, action: Action) -> dict[str, Term]:
        found = {}
        for param in action.params:
            term = z3.Const(param.name.replace("$", "_"), term_sort(param.type))
            self.assumed.append(in_type(term, param.type))
            if is_large(param.type):
                self.places.append(term)
            found[param.name] = term
        return found

    def step(self, action: Action) -> Transition:
        args = self.arguments(action)
        transition = self.stepper.transition(action, args, self.state)
        self.assumed += transition.guards
        self.assumed += self.stepper.no_end(self.state, late=True)
        middle = Scene(transition.middle, args)
        for block, scene in ((action.first, Scene(self.state, args)), (action.second, middle)):
            for expr in block_exprs(block):
                for node in walk(expr):
                    if isinstance(node, Cast) and is_large(node.type) and locals_in(node) <= set(args):
                        self.places.append(self.translator.expr(node, scene))
        return transition

    def prove(self, goals: list[Term]) -> list[Outcome]:
        """Is each goal true whenever the hypotheses are? All are tried together, and one by one only if that fails."""
        solver = self._solver()
        together = self._ask(solver, z3.And(*goals))
        if together.proved or len(goals) == 1:
            return [together] * len(goals)
        return [self._ask(solver, goal) for goal in goals]

    def _ask(self, solver: z3.Solver, goal: Term) -> Outcome:
        solver.push()
        solver.add(z3.Not(goal))
        answer = solver.check()
        detail = "" if answer == z3.unsat else "not inductive" if answer == z3.sat else "the budget is spent"
        outcome = Outcome(answer == z3.unsat, detail, _resources(solver))
        solver.pop()
        return outcome

    def _solver(self) -> z3.Solver:
        """A fresh solver that knows everything assumed, at every place that matters."""
        solver = z3.Solver()
        solver.set("random_seed", 7)
        solver.set("rlimit", RESOURCES)
        facts = list(self.assumed)
        places = _distinct(self.places)
        known, witnesses = self.counts.instances(places)
        facts += known
        for hypothesis in self.hypotheses:
            facts += self._instances(hypothesis, places + witnesses)
        more, later = self.counts.instances(places)
        facts += more[len(known) :]
        for place in (*places, *later):
            self._typed(facts, place)
        facts += [in_type(self.state.read(var.name, ()), var.type) for var in self.system.variables if not var.index]
        solver.add(*facts)
        return solver

    def _typed(self, facts: list[Term], place: Term) -> None:
        """Reads of maps and attributes at a place lie within their types."""
        deck = self.system.deck
        for var in self.system.variables:
            if len(var.index) == 1 and is_large(var.index[0]):
                facts.append(in_type(self.state.read(var.name, (place,)), var.type))
        if deck is not None:
            facts += [in_type(self.translator.attribute(name, place), kind) for name, kind in deck.attributes]

    def _instances(self, hypothesis: Expr, places: list[Term]) -> list[Term]:
        """A hypothesis in the state before; one about all individuals, of each place that matters."""
        if isinstance(hypothesis, Op) and hypothesis.op == "and":
            return [fact for arg in hypothesis.args for fact in self._instances(arg, places)]
        binder = large_binder(hypothesis)
        if binder is None:
            return [self.translator.expr(hypothesis, Scene(self.state, end=z3.IntVal(0)))]
        assert isinstance(hypothesis, Quant)
        rest = tuple(local for local in hypothesis.binders if local != binder)
        body = Quant("forall", rest, hypothesis.body, hypothesis.type) if rest else hypothesis.body
        found = []
        for place in places:
            here = Scene(self.state, {binder.name: place}, end=z3.IntVal(0))
            found.append(z3.Implies(in_type(place, binder.type), self.translator.expr(body, here)))
        return found

    def goals(self, expr: Expr, scene: Scene) -> Iterator[Term]:
        """The parts of a goal; one about all individuals is asked of an arbitrary one."""
        if isinstance(expr, Op) and expr.op == "and":
            for arg in expr.args:
                yield from self.goals(arg, scene)
            return
        binder = large_binder(expr)
        if binder is None:
            yield self.translator.expr(expr, scene)
            return
        assert isinstance(expr, Quant)
        rest = tuple(local for local in expr.binders if local != binder)
        body = Quant("forall", rest, expr.body, expr.type) if rest else expr.body
        some = z3.Int(f"some{len(self.places)}")
        self.places.append(some)
        self.assumed.append(in_type(some, binder.type))
        yield self.translator.expr(body, scene.bind({binder.name: some}))


def large_binder(expr: Expr) -> Local | None:
    if isinstance(expr, Quant) and expr.kind == "forall":
        return next((binder for binder in expr.binders if is_large(binder.type)), None)
    return None


def _distinct(terms: list[Term]) -> list[Term]:
    found: dict[int, Term] = {}
    for term in terms:
        found.setdefault(term.get_id(), term)
    return list(found.values())


def _resources(solver: z3.Solver) -> int:
    statistics = solver.statistics()
    return next((int(value) for key, value in statistics if key == "rlimit count"), 0)


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


def holds_at_start(system: System, expr: Expr) -> Outcome:
    """For every deal. Only what depends on the deal is a question for the solver."""
    known = AtStart(system).holds(expr)
    if known is not None:
        return Outcome(known, "" if known else "false at the start", 0)
    counts = GroundCounts()
    translator = Translator(system, counts)
    counts.translator = translator
    solver = z3.Solver()
    solver.set("rlimit", RESOURCES)
    state: State = Initial(system, translator)
    solver.add(z3.Not(translator.expr(expr, Scene(state, end=z3.IntVal(0)))))
    answer = solver.check()
    return Outcome(answer == z3.unsat, "" if answer == z3.unsat else str(answer), _resources(solver))


class Induction:
    """Proofs by induction for one system. Each obligation may use all invariants, and all bounds, before the step."""

    def __init__(self, system: System, lemmas: tuple[Expr, ...]) -> None:
        steps = [expr for p in system.properties if p.kind in ("step", "terminates") for expr in p.exprs]
        self.system = restrict(system, [*lemmas, *steps])
        self.lemmas = lemmas
        self.actions = tuple(
            action for action in self.system.actions if not any(guard.condition == FALSE for guard in action.guards)
        )

    def _begun(self, action: Action, at_once: bool) -> tuple[Query, Transition, State]:
        query = Query(self.system, self.lemmas)
        step = query.step(action)
        query.assumed.append(step.over_at_once if at_once else z3.Not(step.over_at_once))
        return query, step, step.middle if at_once else step.after

    def _ways(self) -> Iterator[tuple[Action, bool]]:
        return ((action, at_once) for action in self.actions for at_once in (True, False))

    def invariants(self, exprs: dict[str, Expr]) -> dict[str, Outcome]:
        """Conditions on states: at the start, and kept by every action, whether it ends the game at once or not."""
        found = {name: holds_at_start(self.system, expr) for name, expr in exprs.items()}
        for action, at_once in self._ways():
            query, _, after = self._begun(action, at_once)
            end = query.stepper.end_term(after, late=not at_once)
            goals = [z3.And(*query.goals(expr, Scene(after, end=end))) for expr in exprs.values()]
            _note(found, exprs, query.prove(goals), action)
        return found

    def steps(self, exprs: dict[str, Expr]) -> dict[str, Outcome]:
        """Conditions on a state and the next; an ended game stays as it is, and must keep them too."""
        found: dict[str, Outcome] = {}
        still = Query(self.system, self.lemmas)
        goals = [still.translator.expr(expr, Scene(still.state, after=still.state)) for expr in exprs.values()]
        found |= dict(zip(exprs, still.prove(goals), strict=True)) if exprs else {}
        for action, at_once in self._ways() if exprs else ():
            query, _, after = self._begun(action, at_once)
            goals = [query.translator.expr(expr, Scene(query.state, after=after)) for expr in exprs.values()]
            _note(found, exprs, query.prove(goals), action)
        return found

    def decreases(self, name: str, ranking: tuple[Expr, ...]) -> dict[str, Outcome]:
        """Every step that does not end the game lowers the ranking: the first number that changes goes down."""
        return {name: self._decreases(ranking)}

    def _decreases(self, ranking: tuple[Expr, ...]) -> Outcome:
        for number, part in enumerate(ranking, 1):
            if interval(part)[0] < 0:
                return Outcome(False, f"number {number} of the ranking may be negative", 0)
        used = 0
        for action in self.actions:
            query, _, after = self._begun(action, False)
            before = [query.translator.expr(part, Scene(query.state)) for part in ranking]
            later = [query.translator.expr(part, Scene(after)) for part in ranking]
            lower = z3.BoolVal(False)
            for old, new in reversed(list(zip(before, later, strict=True))):
                lower = z3.Or(new < old, z3.And(new == old, lower))
            outcome = query.prove([lower])[0]
            used += outcome.used
            if not outcome.proved:
                return Outcome(False, f"{outcome.detail} under `{action.name}`", used)
        return Outcome(True, "", used)

    def always_enabled(self, name: str) -> dict[str, Outcome]:
        """In every state that has not ended some action is legal."""
        query = Query(self.system, self.lemmas)
        query.assumed += query.stepper.no_end(query.state, late=True)
        scene = Scene(query.state)
        goal = z3.Or(*(query.translator.expr(enabled(action), scene) for action in self.actions))
        return {name: query.prove([goal])[0]}

    def bounds(self) -> dict[str, Outcome]:
        """Every value written is of its type, every place written exists, and no place is written twice at once."""
        names = [f"bounds of {var.name}" for var in self.system.variables]
        found = {name: self._starts_in_type(var.name) for name, var in zip(names, self.system.variables, strict=True)}
        found |= {"distinct writes": Outcome(True, "", 0), "every individual exists": Outcome(True, "", 0)}
        for action in self.actions:
            query = Query(self.system, self.lemmas)
            step = query.step(action)
            goes_on = z3.Not(step.over_at_once)
            parts = ((step.middle, step.defined[0], z3.BoolVal(True)), (step.after, step.defined[1], goes_on))
            goals: dict[str, list[Term]] = {name: [] for name in found}
            for part, defined, when in parts:
                goals["every individual exists"] += [z3.Implies(when, fact) for fact in defined]
                for number, write in enumerate(part.writes):
                    if write.at is not None:
                        continue
                    variable = self.system.variable(write.var)
                    inside = [in_type(term, kind) for term, kind in zip(write.index, variable.index, strict=True)]
                    right = z3.And(in_type(write.value, variable.type), *inside)
                    goals[f"bounds of {write.var}"].append(z3.Implies(z3.And(when, write.condition), right))
                    for other in part.writes[:number]:
                        if other.var == write.var and other.at is None:
                            same = [a == b for a, b in zip(write.index, other.index, strict=True)]
                            both = z3.And(when, write.condition, other.condition, *same)
                            goals["distinct writes"].append(z3.Not(both))
            _note(found, goals, query.prove([z3.And(*several) for several in goals.values()]), action)
        return found

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
        solver = z3.Solver()
        solver.add(*(in_type(names[binder.name], binder.type) for binder in init.binders))
        value = translator.expr(init.value, Scene(Initial(self.system, translator), names))
        solver.add(z3.Not(in_type(value, allowed)))
        return Outcome(solver.check() == z3.unsat, "", _resources(solver))


def enabled(action: Action) -> Expr:
    """Some choice of the parameters passes all guards."""
    condition = conj(*(guard.condition for guard in action.guards))
    return quant("exists", action.params, condition) if action.params else condition


def _note(found: dict[str, Outcome], names: Iterable[str], outcomes: list[Outcome], action: Action) -> None:
    """Keep the first thing that stood in the way of each."""
    for name, outcome in zip(names, outcomes, strict=True):
        known = found[name]
        if known.proved and not outcome.proved:
            found[name] = Outcome(False, f"{outcome.detail} under `{action.name}`", known.used + outcome.used)
        elif known.proved:
            found[name] = Outcome(True, "", known.used + outcome.used)
