"""One step of a System on terms: guards, writes, ends, and the state after each part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import assert_never

import z3

from hanabi_formal.kernel.build import TRUE, conj, quant
from hanabi_formal.kernel.defined import defined, implies
from hanabi_formal.kernel.expr import Expr, Local
from hanabi_formal.kernel.system import Action, Assign, Block, Case, ForEach, Reveal, System
from hanabi_formal.kernel.types import type_values
from hanabi_formal.smt.states import TermState, Updated, Write, in_type
from hanabi_formal.smt.terms import Term
from hanabi_formal.smt.translate import Beyond, Scene, Translator, is_large


@dataclass(frozen=True)
class Owed:
    """Something that must be so for a statement to have a meaning, where it comes to be read."""

    when: Term
    expr: Expr
    scene: Scene


@dataclass(frozen=True)
class Transition:
    """An action applied to a state. `over_at_once` is true if an end holds after the first part.

    `defined` is, for each part, what must be so for it to have a meaning.
    """

    action: Action
    guards: tuple[Term, ...]
    middle: Updated
    over_at_once: Term
    after: Updated
    defined: tuple[tuple[Owed, ...], tuple[Owed, ...]]


class Stepper:
    def __init__(self, system: System, translator: Translator) -> None:
        self.system = system
        self.translator = translator

    def transition(self, action: Action, args: Mapping[str, Term], state: TermState) -> Transition:
        scene = Scene(state, args)
        guards = tuple(self.translator.expr(guard.condition, scene) for guard in action.guards)
        self._owed: list[Owed] = []
        first = tuple(self._writes(action.first, scene, z3.BoolVal(True)))
        owed, self._owed = tuple(self._owed), []
        middle = Updated(state, first)
        over = z3.Or(*(self.end_holds(number, middle) for number, end in enumerate(self.system.ends) if not end.late))
        second = tuple(self._writes(action.second, scene.at(middle), z3.BoolVal(True)))
        return Transition(action, guards, middle, over, Updated(middle, second), (owed, tuple(self._owed)))

    def _owe(self, expr: Expr, scene: Scene, condition: Term) -> None:
        if expr != TRUE:
            self._owed.append(Owed(condition, expr, scene))

    def defined(self, owed: Owed) -> Term:
        return z3.Implies(owed.when, self.translator.expr(owed.expr, owed.scene))

    def end_holds(self, number: int, state: TermState) -> Term:
        return self.translator.expr(self.system.ends[number].condition, Scene(state))

    def end_term(self, state: TermState, late: bool) -> Term:
        """The number of the end that decides in a state, counted from 1; 0 if none holds."""
        found: Term = z3.IntVal(0)
        for number, end in reversed(list(enumerate(self.system.ends))):
            if late or not end.late:
                found = z3.If(self.end_holds(number, state), z3.IntVal(number + 1), found)
        return found

    def no_end(self, state: TermState) -> list[Term]:
        """No end holds, late ones included."""
        return [z3.Not(self.end_holds(number, state)) for number in range(len(self.system.ends))]

    def _writes(self, block: Block, scene: Scene, condition: Term) -> list[Write]:
        found: list[Write] = []
        for statement in block:
            match statement:
                case Assign(var, index, value):
                    self._owe(defined(self.system, *index, value), scene, condition)
                    at = tuple(self.translator.expr(part, scene) for part in index)
                    found.append(Write(var, at, condition, self.translator.expr(value, scene)))
                case Case(branches):
                    before = condition
                    for branch in branches:
                        self._owe(defined(self.system, branch.condition), scene, before)
                        test = self.translator.expr(branch.condition, scene)
                        found += self._writes(branch.block, scene, z3.And(before, test))
                        before = z3.And(before, z3.Not(test))
                case ForEach():
                    found += self._for_each(statement, scene, condition)
                case Reveal():
                    self._owe(self._told(statement), scene, condition)
                case _:
                    assert_never(statement)
        return found

    def _told(self, node: Reveal) -> Expr:
        """That what is revealed has a meaning."""
        facts = implies(node.where, defined(self.system, *node.facts, node.allowed))
        told = conj(defined(self.system, node.where), facts)
        names = (*node.binders, *((node.seat,) if node.seat is not None else ()))
        return quant("forall", names, told) if names else told

    def _for_each(self, node: ForEach, scene: Scene, condition: Term) -> list[Write]:
        """Writes for all values of the binders: one by one where they are few, at once where each is an index."""
        found: list[Write] = []
        if not any(is_large(binder.type) for binder in node.binders):
            for values in product(*(type_values(binder.type) for binder in node.binders)):
                inner = scene.bind(
                    {b.name: self.translator.value(v, b) for b, v in zip(node.binders, values, strict=True)}
                )
                self._owe(defined(self.system, node.where), inner, condition)
                here = z3.And(condition, self.translator.expr(node.where, inner))
                found += self._writes(node.block, inner, here)
            return found
        self._owe(quant("forall", node.binders, defined(self.system, node.where)), scene, condition)
        for statement in node.block:
            if isinstance(statement, Reveal):
                told = implies(node.where, self._told(statement))
                self._owe(quant("forall", node.binders, told), scene, condition)
                continue
            if not isinstance(statement, Assign) or any(binder not in statement.index for binder in node.binders):
                raise Beyond("a loop over many individuals that does more than write a map at each of them")
            found.append(self._bulk(statement, node.where, node.binders, scene, condition))
        return found

    def _bulk(self, node: Assign, where: Expr, binders: tuple[Local, ...], scene: Scene, condition: Term) -> Write:
        places = {binder: node.index.index(binder) for binder in binders}
        written = implies(where, defined(self.system, *node.index, node.value))
        self._owe(quant("forall", binders, written), scene, condition)

        def at(index: tuple[Term, ...]) -> tuple[Term, Term]:
            inner = scene.bind({binder.name: index[place] for binder, place in places.items()})
            here = [in_type(index[place], binder.type) for binder, place in places.items()]
            here += [
                self.translator.expr(part, inner) == term
                for number, (part, term) in enumerate(zip(node.index, index, strict=True))
                if number not in places.values()
            ]
            return z3.And(condition, self.translator.expr(where, inner), *here), self.translator.expr(node.value, inner)

        return Write(node.var, (), condition, z3.BoolVal(True), binders, at)
