"""Every action of a System as terms, once: over an unknown state, unknown arguments and an unknown deal.

They are the terms that proofs are about. Their counts are functions that nothing is said of; what each of them counts
is kept beside them, so that whoever gives the unknowns values can give the counts theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import z3

from hanabi_formal.kernel.system import Action, System
from hanabi_formal.kernel.types import Type, type_values
from hanabi_formal.smt.counts import AbstractCounts, Counted
from hanabi_formal.smt.states import TermState, Unknown, term_sort
from hanabi_formal.smt.step import Stepper
from hanabi_formal.smt.terms import Term
from hanabi_formal.smt.translate import Scene, Translator


@dataclass(frozen=True)
class CountTerms:
    """A count: how many of the individuals `which` the body holds of, as a function of the parameters."""

    function: z3.FuncDeclRef
    params: tuple[Term, ...]
    which: Term
    individuals: range
    body: Term


@dataclass(frozen=True)
class MapTerms:
    """A variable after a step: its value at an unknown index. A scalar has no index."""

    index: tuple[Term, ...]
    kinds: tuple[Type, ...]
    value: Term


@dataclass(frozen=True)
class ActionTerms:
    """An action at unknown arguments: may it be done, and what comes of it.

    `end` is the number of the end that decides, counted from 1, or 0; `at_once` says that it does so after the first
    part. `defined` says that every individual the step speaks of by number exists.
    """

    action: Action
    args: tuple[Term, ...]
    legal: Term
    defined: Term
    at_once: Term
    end: Term
    score: Term
    after: Mapping[str, MapTerms]


class GeneralTerms:
    """All terms of a System; `end` and `score` are those of the state before a step."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._counting = AbstractCounts()
        self._translator = Translator(system, self._counting)
        self._counting.translator = self._translator
        self._stepper = Stepper(system, self._translator)
        self._state = Unknown(system, "0")
        self._made = 0
        self.variables = {var.name: self._input(var.index, var.name) for var in system.variables}
        self.attributes = self._attributes()
        self.end = self._stepper.end_term(self._state, late=True)
        self.score = self._translator.expr(system.score, Scene(self._state))
        self.actions = tuple(self._action(action) for action in system.actions)
        self.counts = self._definitions()

    def _fresh(self, kind: Type) -> Term:
        self._made += 1
        return z3.Const(f"{self._made}@general", term_sort(kind))

    def _input(self, kinds: tuple[Type, ...], var: str) -> z3.FuncDeclRef:
        return self._state.read(var, tuple(map(self._fresh, kinds))).decl()

    def _attributes(self) -> dict[str, z3.FuncDeclRef]:
        deck = self.system.deck
        if deck is None:
            return {}
        return {name: self._translator.attribute(name, self._fresh(deck.sort)).decl() for name, _ in deck.attributes}

    def _action(self, action: Action) -> ActionTerms:
        args = tuple(self._fresh(param.type) for param in action.params)
        names = {param.name: term for param, term in zip(action.params, args, strict=True)}
        step = self._stepper.transition(action, names, self._state)
        over = step.over_at_once
        end = z3.If(
            over, self._stepper.end_term(step.middle, late=False), self._stepper.end_term(step.after, late=True)
        )
        score = z3.If(over, self._score(step.middle, end), self._score(step.after, end))
        after = {}
        for var in self.system.variables:
            index = tuple(map(self._fresh, var.index))
            first, second = step.middle.read(var.name, index), step.after.read(var.name, index)
            after[var.name] = MapTerms(index, var.index, first if first.eq(second) else z3.If(over, first, second))
        first, second = ([self._stepper.defined(owed) for owed in part] for part in step.defined)
        defined = z3.And(*first, z3.Or(over, z3.And(*second)))
        return ActionTerms(action, args, z3.And(*step.guards), defined, over, end, score, after)

    def _score(self, state: TermState, end: Term) -> Term:
        found = self._translator.expr(self.system.score, Scene(state))
        for number, each in enumerate(self.system.ends, 1):
            found = z3.If(end == number, self._translator.expr(each.score, Scene(state)), found)
        return found

    def _definitions(self) -> tuple[CountTerms, ...]:
        """What each count counts, and what those counts count, until nothing is new."""
        found: dict[str, CountTerms] = {}
        seen = 0
        while seen < len(self._counting.applied):
            counted = self._counting.applied[seen]
            seen += 1
            if counted.term.decl().name() not in found:
                found[counted.term.decl().name()] = self._define(counted)
        return tuple(found.values())

    def _define(self, counted: Counted) -> CountTerms:
        shape = counted.shape
        params = tuple(self._fresh(param.type) for param in shape.params)
        which = self._fresh(shape.binder.type)
        body = self._counting.holds(shape, params, which, counted.state)
        return CountTerms(counted.term.decl(), params, which, type_values(shape.binder.type), body)
