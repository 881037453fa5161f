"""The law that holds the unrolled clauses to the step relation of `smt/`: every game meets them.

A game here is any sequence of steps from the start of one deal, none at fault, that is still on or has ended with the
goal. The legend of the clauses (`sat/encode/gates.py`) gives every variable a value in every game. By induction over the
steps, Z3 shows that all clauses are true then:

- the hypothesis: while the game is on, no end holds, and the literals of a state say what that state is; once it is
  over, they say something, whatever it be;
- the step: an action of the rules, as `smt/step.py` has it, or none once the game is over. Every clause of the step is
  true, and the literals of the next state say what that state is.

What the encoder believes of all states (`sat/encode/reach.py`) is shown by induction in the same way. Nothing of the legend has
to be believed: if it is wrong, some clause is false in some game, and that is told. The clauses' own nodes are used in
one place: a count that is kept is defined by what the encoder says it counts. A wrong one would be no better a witness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import Any

import z3

from hanabi_formal.kernel.defined import defined, one_after_the_other
from hanabi_formal.kernel.depends import restrict
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import BOOL, type_values
from hanabi_formal.run.interpret import Interpreter, Snapshot
from hanabi_formal.sat.encode.gates import FALSE, TRUE, Among, Chosen, PlaceValue, TernaryGates, Value
from hanabi_formal.sat.encode.node_values import Evaluator
from hanabi_formal.sat.encode.nodes import GroundNode
from hanabi_formal.sat.formula import unrolling
from hanabi_formal.smt import states
from hanabi_formal.smt.counts import GroundCounts
from hanabi_formal.smt.states import Updated, in_type
from hanabi_formal.smt.step import Owed, Stepper
from hanabi_formal.smt.terms import Term, any_of, no, same, whole
from hanabi_formal.smt.terms import all_of as conjunction
from hanabi_formal.smt.translate import Scene, Translator

YES, NO = z3.BoolVal(True), z3.BoolVal(False)
Place = tuple[str, tuple[Term, ...], bool]


class Unsound(Exception):
    """A game that the clauses forbid, or of which they say something false."""


class Unshown(Exception):
    """The solver did not decide in time."""


@dataclass
class Tally:
    steps: int = 0
    clauses: int = 0
    queries: int = 0
    cases: int = 0
    """Steps times what can be done there: so many proofs were about something."""


@dataclass
class Doing:
    """What can be done at a step: one action with its arguments, or nothing once the game is over."""

    named: Instance | None
    facts: list[Term]
    """That it is legal, not at fault, and, if it ends the game, that it does so with the goal."""
    middle: list[Term]
    after: list[Term]
    """What each place holds after its first part, and after all of it."""
    ended: Term


def truth(value: bool) -> Term:
    return YES if value else NO


def folded(term: Term) -> Term:
    """Simplified, with the two constants recognisable by identity."""
    term = z3.simplify(term)
    if z3.is_true(term):
        return YES
    return NO if z3.is_false(term) else term


def negation(term: Term) -> Term:
    return NO if term is YES else YES if term is NO else no(term)


def both(terms: Iterable[Term]) -> Term:
    found = [term for term in terms if term is not YES]
    return NO if any(term is NO for term in found) else conjunction(*found) if found else YES


class StepRelation:
    """All steps of a system with its deal, by `smt/`, on one unknown state, place by place as the clauses have them."""

    def __init__(self, system: System, faces: Sequence[int], goal: int) -> None:
        self.system = system
        self.faces = tuple(faces)
        self.goal = goal
        counts = GroundCounts()
        self.translator = Translator(system, counts)
        counts.translator = self.translator
        self.stepper = Stepper(system, self.translator)
        self.state = states.Unknown(system, "0")
        self.places: list[Place] = []
        self.types: list[Any] = []
        for variable in restrict(system).variables:
            for index in product(*(type_values(kind) for kind in variable.index)):
                terms = tuple(
                    truth(bool(v)) if kind == BOOL else whole(v) for v, kind in zip(index, variable.index, strict=True)
                )
                self.places.append((variable.name, terms, variable.type == BOOL))
                self.types.append(variable.type)
        self.before = [self.state.read(var, index) for var, index, _ in self.places]
        self.deal = list(self._deal(faces))
        self.no_end = self.stepper.no_end(self.state)
        self.doings = [self._doing(*named) for named in self._instances()]
        self.nothing = Doing(None, [], self.before, self.before, YES)

    def _deal(self, faces: Sequence[int]) -> Iterator[Term]:
        deck = self.system.deck
        if deck is None:
            return
        for place, (name, _) in enumerate(deck.attributes):
            for card, face in enumerate(faces):
                yield same(self.translator.attribute(name, whole(card)), whole(deck.faces[face][place]))

    def _instances(self) -> Iterator[Instance]:
        for action in self.system.actions:
            for args in product(*(type_values(param.type) for param in action.params)):
                yield Instance(action.name, args)

    def _doing(self, name: str, args: tuple[int, ...]) -> Doing:
        action = self.system.action(name)
        names = {
            p.name: truth(bool(v)) if p.type == BOOL else whole(v) for p, v in zip(action.params, args, strict=True)
        }
        step = self.stepper.transition(action, names, self.state)
        over = folded(step.over_at_once)
        at_once, late = (self._end(step.middle, late=False), self._end(step.after, late=True))
        guarded = one_after_the_other(self.system, (guard.condition for guard in action.guards), until=False)
        facts = [*step.guards, self._has_meaning(guarded, Scene(self.state, names))]
        facts += [*self._not_at_fault(step.defined[0], step.middle), at_once[1]]
        if over is not YES:
            last = [*self._not_at_fault(step.defined[1], step.after), late[1]]
            facts += [any_of(over, fact) for fact in last]
        middle, after = self._read(step.middle), self._read(step.after)
        ends = [choice(over, a, b) for a, b in zip(middle, after, strict=True)]
        ended = folded(z3.Or(over, late[0]))
        return Doing(
            Instance(name, args), [fact for fact in map(folded, facts) if fact is not YES], middle, ends, ended
        )

    def _read(self, state: Updated) -> list[Term]:
        return [z3.simplify(state.read(var, index)) for var, index, _ in self.places]

    def _end(self, state: Updated, late: bool) -> tuple[Term, Term]:
        """Is there an end? And if so: it has a meaning, and the score that is asked for."""
        end = self.stepper.end_term(state, late)
        scene = Scene(state)
        conditions = [each.condition for each in self.system.ends if late or not each.late]
        good = [self._has_meaning(one_after_the_other(self.system, conditions, until=True), scene)]
        for number, each in enumerate(self.system.ends, 1):
            score = self.translator.expr(each.score, scene)
            reached = z3.And(score >= self.goal, self._has_meaning(defined(self.system, each.score), scene))
            good.append(z3.Or(end != number, reached))
        return end > 0, z3.And(*good)

    def _has_meaning(self, expr: Expr, scene: Scene) -> Term:
        return self.translator.expr(expr, scene)

    def _not_at_fault(self, owed: Sequence[Owed], state: Updated) -> Iterator[Term]:
        """No value out of its type, no place that is not there, none written twice."""
        yield from (self.stepper.defined(each) for each in owed)
        for (var, index, _), kind in zip(self.places, self.types, strict=True):
            writes = [write.here(index)[0] for write in state.writes if write.var == var]
            if writes:
                yield in_type(state.read(var, index), kind)
            if len(writes) > 1:
                yield z3.AtMost(*writes, 1)
        for write in state.writes:
            if write.at is None and write.var in {var for var, _, _ in self.places}:
                kinds = self.system.variable(write.var).index
                inside = [in_type(part, kind) for part, kind in zip(write.index, kinds, strict=True)]
                yield z3.Implies(write.condition, z3.And(*inside))


def choice(test: Term, then: Term, otherwise: Term) -> Term:
    if then.eq(otherwise) or test is YES:
        return then
    return otherwise if test is NO else z3.simplify(z3.If(test, then, otherwise))


class Meanings:
    """The variables of the clauses at one step, in a game that does a given thing there, as terms over the state."""

    def __init__(self, law: EncoderLaw, step: int, doing: Doing) -> None:
        self._law = law
        self._step = step
        self._doing = doing
        self.facts: list[Term] = []
        """The induction hypothesis: what is known of the state because of the literals it is described by."""
        self._known: dict[int, Term] = {TRUE: YES}
        self._counted: dict[tuple[int, int], Term] = {}
        live, state, counts = law.described[step]
        is_on = doing.named is not None
        self._bind(live, truth(is_on))
        for entry, value in enumerate(state):
            self._describe(value, law.relation.before[entry], law.relation.places[entry][2])
        for number, value in counts.items():
            term = law.count(number, law.relation.before) if is_on else z3.Int(f"count{number}")
            self._describe(value, term, False)

    def _describe(self, value: Value, term: Term, is_truth: bool) -> None:
        if is_truth:
            assert isinstance(value, int)
            self._bind(value, term)
        elif isinstance(value, int):
            self.facts.append(same(term, whole(value)))
        else:
            for key, literal in value.items():
                assert key is not None
                self._bind(literal, folded(same(term, whole(key))))
            self.facts.append(any_of(*(same(term, whole(key)) for key in value if key is not None)))

    def _bind(self, literal: int, term: Term) -> None:
        """A variable is what it says of the state; where it says two things, both are known."""
        term = term if literal > 0 else negation(term)
        if abs(literal) in self._known:
            self.facts.append(folded(same(self._known[abs(literal)], term)))
        else:
            self._known[abs(literal)] = term

    def of(self, literal: int) -> Term:
        found = self._known.get(abs(literal))
        if found is None:
            found = self._known[abs(literal)] = self._make(abs(literal))
        return found if literal > 0 else negation(found)

    def _make(self, variable: int) -> Term:
        cnf = self._law.unrolled.cnf
        if variable in cnf.gates:
            return both(map(self.of, cnf.gates[variable]))
        match cnf.legend[variable]:
            case Among(literals):
                return negation(both(negation(self.of(literal)) for literal in literals))
            case Chosen(step, option) if step == self._step:
                members = self._law.unrolled.choices[step].options[option].move.members
                return truth(any(named == self._doing.named for named, _ in members))
            case PlaceValue(step, part, key, value, others) if step == self._step:
                term = self._after(part, key)
                if z3.is_bool(term):
                    return folded(term if value else no(term))
                if others:
                    return folded(no(any_of(*(same(term, whole(other)) for other in others))))
                return folded(same(term, whole(value)))
        return z3.Bool(f"stale{variable}")  # nothing is known any more of what an earlier state was

    def _after(self, part: int, key: int) -> Term:
        doing = self._doing
        if key >= 0:
            return (doing.middle if part == 1 else doing.after)[key]
        if doing.named is None:
            return z3.Int(f"count{-1 - key}")
        if (part, key) not in self._counted:
            counted = self._law.count(-1 - key, doing.middle if part == 1 else doing.after)
            self._counted[part, key] = counted
        return self._counted[part, key]

    # ---- what must be so -------------------------------------------------------------------------
    def false_clauses(self, clauses: Sequence[Sequence[int]]) -> Iterator[tuple[str, Term]]:
        """Each clause that might be false, and that it is."""
        for clause in clauses:
            terms = [self.of(literal) for literal in clause]
            if not any(term is YES for term in terms):
                yield f"clause {list(clause)}", both(map(negation, terms))

    def misdescribed(self) -> Iterator[tuple[str, Term]]:
        """Each place of the next state of which the literals might say something else, and that they do."""
        live, state, counts = self._law.described[self._step + 1]
        ended = self._doing.ended
        yield "whether the game is on", folded(same(self.of(live), ended))
        before, before_counts = self._law.described[self._step][1:]
        for entry, value in enumerate(state):
            old, new = self._law.relation.before[entry], self._doing.after[entry]
            if value is not before[entry] or not new.eq(old):
                yield from self._said(str(self._law.relation.places[entry][:2]), value, lambda new=new: new)  # type: ignore[misc]
        for number, value in counts.items():
            if self._doing.named is None:
                if value is not before_counts[number]:
                    yield from self._one_of(f"count {number}", value)
            else:
                yield from self._said(f"count {number}", value, lambda number=number: self._after(2, -1 - number))  # type: ignore[misc]

    def _said(self, what: str, value: Value, real: Callable[[], Term]) -> Iterator[tuple[str, Term]]:
        ended = self._doing.ended
        yield from self._one_of(what, value)
        if ended is YES:
            return
        term = real()
        if z3.is_bool(term):
            assert isinstance(value, int)
            wrong = [negation(folded(same(self.of(value), term)))]
        elif isinstance(value, int):
            wrong = [negation(folded(same(term, whole(value))))]
        else:
            known = [(key, literal) for key, literal in value.items() if key is not None]
            wrong = [negation(folded(same(self.of(literal), same(term, whole(key))))) for key, literal in known]
            wrong.append(both(negation(folded(same(term, whole(key)))) for key, _ in known))
        for each in wrong:
            yield what, both((negation(ended), each))

    def _one_of(self, what: str, value: Value) -> Iterator[tuple[str, Term]]:
        """Whatever the literals say, they say one thing."""
        if isinstance(value, dict):
            assert None not in value
            terms = [self.of(literal) for literal in value.values()]
            yield f"{what}: no value", both(map(negation, terms))
            for place, one in enumerate(terms):
                for other in terms[:place]:
                    yield f"{what}: two values", both((one, other))


class EncoderLaw:
    """One deal of a system from one state on, unrolled and checked step by step."""

    def __init__(self, relation: StepRelation, start: Snapshot, limit: int = 60_000) -> None:
        self.tally = Tally()
        self.system = relation.system
        self.start = start
        self.goal = relation.goal
        self.limit = limit
        self.relation = relation
        self.unrolled = unrolling(relation.system, relation.faces, start, relation.goal)
        self.described = [self._now()]
        self._holding: dict[int, list[tuple[int, list[int]]]] = {}
        self._started()

    def _now(self) -> tuple[int, list[Value], dict[int, Value]]:
        return self.unrolled.live, self.unrolled.state, self.unrolled.counts

    # ---- the first state -------------------------------------------------------------------------
    def _started(self) -> None:
        """The literals of the first state are what it is; what is believed of all states is true of it."""
        values = self.values(self.start)
        live, state, counts = self.described[0]
        if self.unrolled.cnf.clauses != [[TRUE]]:
            self._never_reached()
            return
        if self.start.end:
            raise ValueError("the game is over")
        said = [
            int(value == TRUE) if is_truth else value
            for value, (*_, is_truth) in zip(state, self.relation.places, strict=True)
        ]
        if live != TRUE or said != values:
            raise Unsound("the first state is another one")
        known = [
            whole(value) if not is_truth else truth(bool(value))
            for value, (*_, is_truth) in zip(values, self.relation.places, strict=True)
        ]
        for number, value in counts.items():
            assert isinstance(value, int)
            self._refute(
                [], [(f"count {number} at the start", no(same(self.count(number, known), whole(value))))], "start"
            )
        for entry, value in enumerate(values):
            pivot = self.unrolled.reach.pivot
            if pivot is not None and self.unrolled.reach.excludes(values[pivot], entry, value):
                raise Unsound("the first state is believed not to be reached")

    def values(self, snapshot: Snapshot) -> list[int]:
        found: list[int] = []
        for variable in self.unrolled.game.system.variables:
            value = snapshot.values[variable.name]
            found += [value] if isinstance(value, int) else value
        return found

    def _never_reached(self) -> None:
        """Nothing was unrolled, because no end has such a score, in any state."""
        facts = [in_type(term, kind) for term, kind in zip(self.relation.before, self.relation.types, strict=True)]
        scene = Scene(self.relation.state)
        reached = [
            (
                end.name,
                z3.And(
                    self.relation.translator.expr(end.condition, scene),
                    self.relation.translator.expr(end.score, scene) >= self.goal,
                ),
            )
            for end in self.system.ends
        ]
        self._refute([*facts, *self.relation.deal], reached, "start")

    # ---- counts ----------------------------------------------------------------------------------
    def count(self, number: int, places: Sequence[Term]) -> Term:
        """How many of the conditions of a count hold, given what the places hold."""
        if number not in self._holding:
            self._holding[number] = [self._holds_at(arg) for arg in self.unrolled.game.grounder.nodes[number].args]
        parts = []
        for entry, values in self._holding[number]:
            term = places[entry]
            here = any_of(
                *((term if value else no(term)) if z3.is_bool(term) else same(term, whole(value)) for value in values)
            )
            parts.append(z3.If(here, 1, 0))
        return z3.simplify(z3.Sum(parts))

    def _holds_at(self, node: GroundNode) -> tuple[int, list[int]]:
        """The one place that a condition looks at, and with which of its values it holds."""
        assert node.reads is not None
        (entry,) = node.reads
        kind = self.relation.types[entry]
        found = []
        for value in type_values(kind):
            here = (TRUE if value else FALSE) if kind == BOOL else value
            if Evaluator(self.unrolled.game.grounder, TernaryGates(), lambda _, here=here: here).truth(node) == TRUE:  # type: ignore[misc]
                found.append(value)
        return entry, found

    # ---- what is believed of all states ----------------------------------------------------------
    def believed(self, places: Sequence[Term]) -> Term:
        """For each value of the pivot, what the other places may hold."""
        reach = self.unrolled.reach
        if reach.pivot is None:
            return YES
        found = []
        for value, held in reach.held.items():
            parts = [same(places[reach.pivot], whole(value))]
            for entry, values in enumerate(held):
                term = places[entry]
                if z3.is_bool(term):
                    parts += [] if len(values) == 2 else [term if 1 in values else no(term)]
                elif len(values) < len(type_values(self.relation.types[entry])):
                    parts.append(any_of(*(same(term, whole(each)) for each in sorted(values))))
            found.append(z3.And(*parts))
        return z3.Or(*found)

    def check_reach(self) -> None:
        """No step leaves what is believed of all states."""
        if self.unrolled.reach.pivot is None:
            return
        before = [self.believed(self.relation.before), *self._in_types(), *self.relation.deal]
        for doing in self.relation.doings:
            wrong = both((negation(doing.ended), negation(folded(self.believed(doing.after)))))
            self._refute([*before, *doing.facts], [("what is believed of all states", wrong)], doing.named)

    def _in_types(self) -> list[Term]:
        return [in_type(term, kind) for term, kind in zip(self.relation.before, self.relation.types, strict=True)]

    # ---- steps -----------------------------------------------------------------------------------
    def step(self) -> None:
        """One step more, all its clauses shown."""
        k, many = len(self.unrolled.choices), len(self.unrolled.cnf.clauses)
        if self.unrolled.live == FALSE:
            return
        self.unrolled.step()
        self.described.append(self._now())
        clauses = self.unrolled.cnf.clauses[many:]
        for doing in (*self.relation.doings, self.relation.nothing):
            meanings = Meanings(self, k, doing)
            wrong = chain(meanings.false_clauses(clauses), meanings.misdescribed())
            if self._refute(self._known(meanings, doing), wrong, (k, doing.named)):
                self.tally.cases += 1
        self.tally.steps += 1
        self.tally.clauses += len(clauses)

    def follows(self, clause: Sequence[int], k: int) -> bool:
        """Is a clause about the step true of every game?"""
        try:
            for doing in (*self.relation.doings, self.relation.nothing):
                meanings = Meanings(self, k, doing)
                self._refute(self._known(meanings, doing), meanings.false_clauses([clause]), (k, doing.named))
        except Unsound:
            return False
        return True

    def _known(self, meanings: Meanings, doing: Doing) -> list[Term]:
        facts = [*meanings.facts, *doing.facts]
        if doing.named is not None:
            facts += [self.believed(self.relation.before), *self._in_types(), *self.relation.deal]
            facts += self.relation.no_end
        return facts

    def _refute(self, facts: Sequence[Term], possibly: Iterable[tuple[str, Term]], where: object) -> bool:
        """None of what would be wrong is possible. Is the case possible at all?"""
        if any(fact is NO for fact in facts):
            return False
        solver = z3.Solver()
        solver.set("timeout", self.limit)
        solver.add(*facts)
        if solver.check() == z3.unsat:
            return False
        wrong = [(what, term) for what, term in possibly if term is not NO]
        solver.add(any_of(*(term for _, term in wrong)))
        self.tally.queries += 1
        found = solver.check()
        if found == z3.unknown:
            raise Unshown(where)
        if found == z3.sat:
            model = solver.model()
            what = next(what for what, term in wrong if z3.is_true(model.eval(term, model_completion=True)))
            raise Unsound(where, what, [(str(t), str(model.eval(t))) for t in self.relation.before])
        return True


def check_deal(relation: StepRelation, steps: int) -> Tally:
    """The clauses of a deal, so many steps of them, are met by every game."""
    law = EncoderLaw(relation, Interpreter(relation.system).start(relation.faces))
    law.check_reach()
    for _ in range(steps):
        law.step()
    return law.tally
