"""Which cases of the rules come about: the same rules with a flag in every branch.

The twin has the same actions under the same names, so that its games are games of the original. A flag that an action
never sets marks what that action never does; that is also how a solver is asked whether something can happen at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import z3

from hanabi_formal.kernel.build import FALSE, TRUE, conj, disj, negate, quant
from hanabi_formal.kernel.depends import restrict
from hanabi_formal.kernel.expr import Expr, Get
from hanabi_formal.kernel.system import (
    Action,
    Assign,
    Block,
    Branch,
    Case,
    Clauses,
    ForEach,
    Init,
    Reveal,
    Statement,
    System,
    Variable,
)
from hanabi_formal.kernel.types import BOOL
from hanabi_formal.prove.induction.query import Query
from hanabi_formal.prove.induction.solver_call import ProofOutcome, inexpressible
from hanabi_formal.prove.obligation import Obligation, ObligationKind
from hanabi_formal.prove.properties import can_never_be_taken
from hanabi_formal.smt.translate import Beyond


@dataclass(frozen=True)
class Fired:
    """One branch of one action. `flag` is the twin's variable that it sets; `name` is unique in the game."""

    action: str
    name: str
    clauses: Clauses
    flag: str

    @property
    def obligation(self) -> Obligation:
        return Obligation.of(ObligationKind.CASE, self.name, clauses=self.clauses)

    @property
    def set(self) -> Expr:
        return Get(self.flag, (), BOOL)


def flag_name(system: System, number: int) -> str:
    name = f"flag{number}"
    while any(variable.name == name for variable in system.variables):
        name += "_"
    return name


def with_flags(system: System, flags: Iterable[str]) -> System:
    """The system with more variables, false at the start; nothing that is only asked about it is kept."""
    names = list(flags)
    return replace(
        system,
        variables=(*system.variables, *(Variable(name, (), BOOL, False) for name in names)),
        inits=(*system.inits, *(Init(name, (), FALSE) for name in names)),
        bands=None,
        view=None,
        properties=(),
        interface=None,
    )


class Twin:
    """A system and its twin with flags; `cases` are all branches of the actions that can be taken."""

    def __init__(self, system: System) -> None:
        self._original = system
        self._found: list[Fired] = []
        actions = tuple(map(self._action, system.actions))
        self.system = replace(with_flags(system, (case.flag for case in self._found)), actions=actions)
        self.cases = tuple(_told_apart(self._found))

    def _action(self, action: Action) -> Action:
        if can_never_be_taken(action):
            return action
        first, second = (self._block(block, action) for block in (action.first, action.second))
        return replace(action, first=first, second=second)

    def _flag(self, branch: Branch, action: Action) -> Assign:
        flag = flag_name(self._original, len(self._found))
        name = branch.label or f"{action.name}.unnamed"
        self._found.append(Fired(action.name, name, branch.clauses, flag))
        return Assign(flag, (), TRUE)

    def _block(self, block: Block, action: Action) -> Block:
        found: list[Statement] = []
        for statement in block:
            match statement:
                case Case(branches):
                    found.append(Case(tuple(self._branch(branch, action) for branch in branches)))
                case ForEach():
                    found += [statement, *self._in_loop((statement,), action)]
                case Assign() | Reveal():
                    found.append(statement)
        return tuple(found)

    def _branch(self, branch: Branch, action: Action) -> Branch:
        flag = self._flag(branch, action)
        return replace(branch, block=(flag, *self._block(branch.block, action)))

    def _in_loop(self, block: Block, action: Action) -> Iterator[Statement]:
        """Branches inside a loop are taken for some of many values: their flags are set outside, by a condition."""
        for branch, condition in _branches(block, TRUE):
            yield Case((Branch(condition, (self._flag(branch, action),)),))


def _branches(block: Block, given: Expr) -> Iterator[tuple[Branch, Expr]]:
    """All branches of a block, each with the condition under which it is taken."""
    for statement in block:
        match statement:
            case Case(branches):
                before: Expr = FALSE
                for branch in branches:
                    here = conj(given, negate(before), branch.condition)
                    yield branch, here
                    yield from _branches(branch.block, here)
                    before = disj(before, branch.condition)
            case ForEach(binders, where, inner):
                for branch, condition in _branches(inner, conj(given, where)):
                    yield branch, quant("exists", binders, condition)
            case Assign() | Reveal():
                pass


def _told_apart(cases: list[Fired]) -> Iterator[Fired]:
    """A label that several branches have gets the action after it, and a number if that is not enough."""
    labels = Counter(case.name for case in cases)
    pairs = Counter((case.name, case.action) for case in cases)
    seen: Counter[tuple[str, str]] = Counter()
    for case in cases:
        pair = case.name, case.action
        seen[pair] += 1
        name = case.name if labels[case.name] == 1 else f"{case.name} in {case.action}"
        yield replace(case, name=name if pairs[pair] == 1 else f"{name} ({seen[pair]})")


def never_sets(system: System, action: str, flag: str, lemmas: tuple[Expr, ...]) -> ProofOutcome:
    """Is it proved that this action never sets the flag, wherever it is taken?"""
    unset = negate(Get(flag, (), BOOL))
    small = restrict(system, [*lemmas, unset])
    try:
        query = Query(small, (*lemmas, unset))
        step = query.step(small.action(action))
        middle, after = (z3.Not(state.read(flag, ())) for state in (step.middle, step.after))
        return query.prove([z3.If(step.over_at_once, middle, after)])[0]
    except Beyond as problem:
        return inexpressible(problem)
