"""Faults put into the solver's terms on purpose: the law that holds them to the executor finds every one."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest
import z3

import hanabi_formal
from hanabi_formal.kernel.expr import Ite
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.smt.counts import AbstractCounts
from hanabi_formal.smt.states import Updated
from hanabi_formal.smt.step import Stepper
from hanabi_formal.smt.translate import Scene, Translator
from term_laws import Comparison, Differs
from term_reading.general import ActionTerms, GeneralTerms


@cache
def base() -> Compiled:
    return hanabi_formal.load("base").compiled(2)


@cache
def base_terms() -> GeneralTerms:
    return GeneralTerms(base().system)


@cache
def frugal() -> Compiled:
    return hanabi_formal.load("base", rulings={"draw_after_fit": "no"}).compiled(2)


@cache
def house() -> Compiled:
    return hanabi_formal.load("hanab_live").compiled(3)


@dataclass(frozen=True)
class Mutant:
    """A fault in how terms are made, and the game that shows it."""

    name: str
    owner: Any
    attribute: str
    change: Callable[[Any], Any]
    game: Callable[[], Compiled] = base
    steps: int = 400


def other_operator(**others: str) -> Callable[[Any], Any]:
    return lambda before: lambda self, op, args: before(self, others.get(op, op), args)


def other_quantifier(**others: str) -> Callable[[Any], Any]:
    return lambda before: (
        lambda self, node, scene: before(self, replace(node, kind=others.get(node.kind, node.kind)), scene)
    )


def off_by_one(op: str) -> Callable[[Any], Any]:
    return lambda before: (
        lambda self, name, args: before(self, name, args) + 1 if name == op else before(self, name, args)
    )


def swapped(before: Any) -> Any:
    def expr(self: Any, node: Any, scene: Any) -> Any:
        return before(self, Ite(node.condition, node.otherwise, node.then) if isinstance(node, Ite) else node, scene)

    return expr


def written_anyway(before: Any) -> Any:
    def read(self: Updated, var: str, index: tuple[Any, ...]) -> Any:
        writes = tuple(replace(write, condition=z3.BoolVal(True)) for write in self.writes)
        return before(Updated(self.before, writes), var, index)

    return read


def written_everywhere(before: Any) -> Any:
    def read(self: Updated, var: str, index: tuple[Any, ...]) -> Any:
        writes = tuple(replace(write, index=index) for write in self.writes if write.at is None)
        return before(Updated(self.before, writes), var, index)

    return read


def counts_stay(before: Any) -> Any:
    """A count after a step is taken for the one before it."""

    def holds(self: Any, shape: Any, params: Any, place: Any, state: Any) -> Any:
        while isinstance(state, Updated):
            state = state.before
        return before(self, shape, params, place, state)

    return holds


def last_end_decides(_: Any) -> Any:
    def end_term(self: Stepper, state: Any, late: bool) -> Any:
        found: Any = z3.IntVal(0)
        for number, end in enumerate(self.system.ends):
            if late or not end.late:
                found = z3.If(self.end_holds(number, state), number + 1, found)
        return found

    return end_term


MUTANTS = (
    Mutant("less or equal for less", Translator, "_operate", other_operator(lt="le")),
    Mutant("less for less or equal", Translator, "_operate", other_operator(le="lt"), house),
    Mutant("greatest for least", Translator, "_operate", other_operator(min="max")),
    Mutant("or for and", Translator, "_operate", other_operator(**{"and": "or"})),
    Mutant("one too many", Translator, "_operate", off_by_one("add")),
    Mutant("one too few taken away", Translator, "_operate", off_by_one("sub")),
    Mutant("remainder off by one", Translator, "_operate", off_by_one("mod")),
    Mutant("branches exchanged", Translator, "expr", swapped),
    Mutant("all for some", Translator, "_quantified", other_quantifier(exists="forall"), house),
    Mutant("some for all", Translator, "_quantified", other_quantifier(forall="exists")),
    Mutant("writes without their condition", Updated, "_read", written_anyway),
    Mutant("writes at every place", Updated, "_read", written_everywhere),
    Mutant("counts that no step changes", AbstractCounts, "holds", counts_stay),
    Mutant("the second part reads the state before the first", Scene, "at", lambda _: lambda self, state: self, frugal),
    Mutant("the last end decides", Stepper, "end_term", last_end_decides),
    Mutant(
        "late ends are not tried",
        Stepper,
        "end_term",
        lambda before: lambda self, state, late: before(self, state, False),
        house,
        1500,
    ),
)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_fault_in_the_terms_is_noticed(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutant.owner, mutant.attribute, mutant.change(getattr(mutant.owner, mutant.attribute)))
    comparison = Comparison(mutant.game(), GeneralTerms(mutant.game().system))
    with pytest.raises(Differs):
        comparison.run(mutant.steps)


def branches_exchanged(term: Any) -> Any:
    if term.decl().kind() != z3.Z3_OP_ITE:
        return term
    condition, then, otherwise = term.children()
    return z3.If(condition, otherwise, then)


def one_more(term: Any) -> Any:
    return z3.Not(term) if z3.is_bool(term) else term + 1


def with_part(action: ActionTerms, part: str, wrong: Callable[[Any], Any]) -> ActionTerms:
    """The action with one of its terms changed: what is legal, the end, the score, or a variable after it."""
    match part:
        case "legal":
            return replace(action, legal=wrong(action.legal))
        case "end":
            return replace(action, end=wrong(action.end))
        case "score":
            return replace(action, score=wrong(action.score))
    after = replace(action.after[part], value=wrong(action.after[part].value))
    return replace(action, after={**action.after, part: after})


WRONG_PARTS = [
    *((part, branches_exchanged) for part in ("place", "turn", "drawn", "blue_left", "told")),
    *((part, one_more) for part in ("legal", "end", "score", "place", "turn", "red_spent", "turns_left", "told")),
]


@pytest.mark.parametrize(("part", "wrong"), WRONG_PARTS, ids=lambda value: getattr(value, "__name__", value))
def test_one_wrong_term_is_noticed(part: str, wrong: Callable[[Any], Any]) -> None:
    terms = copy.copy(base_terms())
    terms.actions = tuple(with_part(action, part, wrong) for action in terms.actions)
    with pytest.raises(Differs):
        Comparison(base(), terms).run(400)
