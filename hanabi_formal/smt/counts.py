"""Counting individuals. Sums over fifty cards defeat solvers; how a step changes a count does not.

`count φ` is a term of its own: a function of the values that φ depends on, for each state. A step writes a few places,
so the count after it is the count before, less φ of those places before, plus φ of them after. That holds for every
value of what φ depends on, and needs only that the places are distinct, which is an obligation of its own.
What else is known of a count is given by instances: one or more has a witness; a member makes it one or more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import z3

from hanabi_formal.kernel.build import substitute
from hanabi_formal.kernel.canonical import form_of
from hanabi_formal.kernel.expr import Expr, Get, Lit, Local, Quant, locals_in, rebuild, remembered, vars_in, walk
from hanabi_formal.kernel.rewrite import prime
from hanabi_formal.kernel.types import IntType, type_size
from hanabi_formal.smt.states import TermState, Updated, in_type, term_sort
from hanabi_formal.smt.terms import Term, all_of, any_of, apply, at_most, choose, implies, no, plus, same, whole
from hanabi_formal.smt.translate import Beyond, Scene, Translator

NUMBER = IntType(0, 0)


@dataclass(frozen=True)
class CountedBody:
    """A body to count, with everything that does not depend on the binder taken out as a parameter.

    `key` is its canonical form: two shapes have the same one only if they are the same.
    """

    key: str
    binder: Local
    body: Expr
    params: tuple[Local, ...]
    stable: bool


@dataclass(frozen=True)
class Counted:
    """One count that a query speaks of, in one state, at one choice of parameters."""

    shape: CountedBody
    state: TermState
    params: tuple[Term, ...]
    term: Term


def take_out_parameters(binder: Local, body: Expr) -> tuple[CountedBody, tuple[Expr, ...]]:
    """The shape of a body, and the expressions its parameters stand for, constants among them.

    With constants taken out too, the count of the reds and the count of the cards like this one are one function, of
    which the solver knows that equal arguments give equal counts.
    """
    given: list[Expr] = []
    params: list[Local] = []

    def visit(expr: Expr, bound: frozenset[str]) -> Expr:
        if not locals_in(expr) & bound:
            given.append(expr)
            params.append(Local(f"parameter{len(params)}", expr.type))
            return params[-1]
        if isinstance(expr, Quant):
            bound |= {local.name for local in expr.binders}
        return rebuild(expr, lambda child: visit(child, bound))

    shaped = visit(body, frozenset((binder.name,)))
    stable = not any(isinstance(n, Quant) or (isinstance(n, Get) and n.index != (binder,)) for n in walk(shaped))
    return _shape(binder, shaped, tuple(params), stable), tuple(given)


def _shape(binder: Local, body: Expr, params: tuple[Local, ...], stable: bool) -> CountedBody:
    # Numbers of any bounds are one type here: the bounds of a constant are its value.
    general = (Local(p.name, NUMBER if isinstance(p.type, IntType) else p.type) for p in params)
    key = form_of(Quant("count", (binder, *general), body, NUMBER))
    return CountedBody(key, binder, body, params, stable)


@dataclass
class AbstractCounts:
    """Counts as functions; `applied` remembers all of them, so that instances can be given."""

    translator: Translator | None = None
    copy: str = ""
    applied: list[Counted] = field(default_factory=list)
    _functions: dict[tuple[str, int], Any] = field(default_factory=dict)
    _known: dict[Any, tuple[tuple[Term, ...], Term]] = field(default_factory=dict)
    _states: list[TermState] = field(default_factory=list)

    def count(self, binder: Local, body: Expr, scene: Scene) -> Term:
        assert self.translator is not None
        shape, given = remembered(body, ("shape", binder), lambda: take_out_parameters(binder, body))
        params = tuple(self.translator.expr(expr, scene) for expr in given)
        primed = {node.primed for node in walk(shape.body) if isinstance(node, Get)}
        if primed == {True, False}:
            raise Beyond("a count that compares the states before and after a step")
        if primed == {True}:
            assert scene.after is not None
            body = prime(shape.body, primed=False)
            return self._count(_shape(binder, body, shape.params, shape.stable), params, scene.after)
        return self._count(shape, params, scene.state)

    def _number(self, state: TermState) -> int:
        for number, known in enumerate(self._states):
            if known is state:
                return number
        self._states.append(state)
        return len(self._states) - 1

    def _count(self, shape: CountedBody, params: tuple[Term, ...], state: TermState) -> Term:
        key = (shape.key, self._number(state), tuple(param.get_id() for param in params))
        if key not in self._known:
            # The parameters are kept with the answer: Z3 gives the number of a term that is gone to a new one.
            self._known[key] = (params, self._make(shape, params, state))
        return self._known[key][1]

    def _make(self, shape: CountedBody, params: tuple[Term, ...], state: TermState) -> Term:
        if shape.stable and isinstance(state, Updated):
            touched = vars_in(shape.body)
            writes = [write for write in state.writes if write.var in touched]
            if all(write.at is None and len(write.index) == 1 for write in writes):
                found = self._count(shape, params, state.before)
                for number, write in enumerate(writes):
                    place = write.index[0]
                    # One map is written once at a place; where another one is too, the change is counted already.
                    others = [w for w in writes[:number] if w.var != write.var]
                    again = any_of(*(all_of(w.condition, same(w.index[0], place)) for w in others))
                    first = all_of(write.condition, no(again)) if others else write.condition
                    new = self.holds(shape, params, place, state)
                    old = self.holds(shape, params, place, state.before)
                    change = choose(new, choose(old, whole(0), whole(1)), choose(old, whole(-1), whole(0)))
                    found = plus((found, choose(first, change, whole(0))))
                return found
        function = self._function(shape, self._number(state))
        term = apply(function, params, False) if params else function
        self.applied.append(Counted(shape, state, params, term))
        return term

    def _function(self, shape: CountedBody, state: int) -> Any:
        if (shape.key, state) not in self._functions:
            name = f"count{self.copy}{len(self._functions)}"
            sorts = [term_sort(param.type) for param in shape.params]
            made = z3.Function(name, *sorts, z3.IntSort()) if sorts else z3.Int(name)
            self._functions[shape.key, state] = made
        return self._functions[shape.key, state]

    def holds(self, shape: CountedBody, params: tuple[Term, ...], place: Term, state: TermState) -> Term:
        """The counted condition, of one individual."""
        assert self.translator is not None
        names = {local.name: param for local, param in zip(shape.params, params, strict=True)}
        return self.translator.expr(shape.body, Scene(state, {**names, shape.binder.name: place}))

    def instances(self, places: list[Term], since: int = 0) -> tuple[list[Term], list[Term]]:
        """Facts about the counts spoken of so far but for the first `since`, and the witnesses they name."""
        facts: list[Term] = []
        witnesses: list[Term] = []
        for number, counted in list(enumerate(self.applied))[since:]:
            size = type_size(counted.shape.binder.type)
            some = at_most(whole(1), counted.term)
            facts.append(all_of(at_most(whole(0), counted.term), at_most(counted.term, whole(size))))
            witness = z3.Int(f"witness{self.copy}{number}")
            witnesses.append(witness)
            there = self.holds(counted.shape, counted.params, witness, counted.state)
            facts.append(implies(some, all_of(there, in_type(witness, counted.shape.binder.type))))
            for place in places:
                here = self.holds(counted.shape, counted.params, place, counted.state)
                inside = in_type(place, counted.shape.binder.type)
                facts.append(implies(all_of(here, inside), some))
        return facts, witnesses


@dataclass
class GroundCounts:
    """Counts written out, individual by individual: for states that are known outright."""

    translator: Translator | None = None

    def count(self, binder: Local, body: Expr, scene: Scene) -> Term:
        assert self.translator is not None
        total = 0
        unknown = []
        for number in range(type_size(binder.type)):
            instance = substitute(body, {binder.name: Lit(number, binder.type)})
            term = z3.simplify(self.translator.expr(instance, scene))
            if z3.is_true(term):
                total += 1
            elif not z3.is_false(term):
                unknown.append(z3.If(term, 1, 0))
        return z3.Sum([z3.IntVal(total), *unknown]) if unknown else z3.IntVal(total)
