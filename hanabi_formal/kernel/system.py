"""A game as a transition system: what the three readings (run, smt, sat) are given, and all they are given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import assert_never

from hanabi_formal.diagnostics.source import Span
from hanabi_formal.kernel.expr import Expr, Local
from hanabi_formal.kernel.types import SortType, Type

Clauses = tuple[str, ...]


# Places and citations are carried along but are no part of the meaning: such fields do not compare.


@dataclass(frozen=True)
class Deck:
    """The cards: which faces there are, and how many copies of each. The deal says which card has which face."""

    sort: SortType
    attributes: tuple[tuple[str, Type], ...]
    faces: tuple[tuple[int, ...], ...]
    copies: tuple[int, ...]

    def attribute(self, name: str) -> int:
        return next(i for i, (known, _) in enumerate(self.attributes) if known == name)


@dataclass(frozen=True)
class Variable:
    """A scalar (no index) or a total map. Records may be read by views and by properties only."""

    name: str
    index: tuple[Type, ...]
    type: Type
    is_record: bool
    clauses: Clauses = field(default=(), compare=False)
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Init:
    """`var[binders] = value` in every initial state."""

    var: str
    binders: tuple[Local, ...]
    value: Expr
    clauses: Clauses = field(default=(), compare=False)


# ---- statements: all of a block happen at once, on the state before it -----------------------------
@dataclass(frozen=True)
class Assign:
    var: str
    index: tuple[Expr, ...]
    value: Expr
    clauses: Clauses = field(default=(), compare=False)
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Branch:
    condition: Expr
    block: Block
    label: str | None = field(default=None, compare=False)
    clauses: Clauses = field(default=(), compare=False)
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Case:
    """The first branch whose condition holds is taken; if none holds, nothing is."""

    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class ForEach:
    binders: tuple[Local, ...]
    where: Expr
    block: Block
    clauses: Clauses = field(default=(), compare=False)


@dataclass(frozen=True)
class Reveal:
    """For each value of the binders with `where`, the facts become known to every seat with `allowed`."""

    facts: tuple[Expr, ...]
    binders: tuple[Local, ...]
    where: Expr
    seat: Local | None
    allowed: Expr
    clauses: Clauses = field(default=(), compare=False)


Statement = Assign | Case | ForEach | Reveal
Block = tuple[Statement, ...]


def statements_in(block: Block) -> Iterator[Statement]:
    """The statements of a block and of all blocks in it, outermost first."""
    for statement in block:
        yield statement
        match statement:
            case Case(branches):
                for branch in branches:
                    yield from statements_in(branch.block)
            case ForEach(block=inner):
                yield from statements_in(inner)
            case Assign() | Reveal():
                pass
            case _:
                assert_never(statement)


def assignments(block: Block) -> Iterator[Assign]:
    return (statement for statement in statements_in(block) if isinstance(statement, Assign))


def expressions_in(block: Block) -> Iterator[Expr]:
    """All expressions of a block, those of outer statements first; what is in them, `walk` finds."""
    for statement in statements_in(block):
        match statement:
            case Assign(index=index, value=value):
                yield from (*index, value)
            case Case(branches):
                yield from (branch.condition for branch in branches)
            case ForEach(where=where):
                yield where
            case Reveal(facts=facts, where=where, allowed=allowed):
                yield from (*facts, where, allowed)
            case _:
                assert_never(statement)


# ---- parts -----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Guard:
    condition: Expr
    label: str | None = field(default=None, compare=False)
    clauses: Clauses = field(default=(), compare=False)
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Action:
    """`second` happens only if no end holds after `first`; both are one step."""

    name: str
    params: tuple[Local, ...]
    guards: tuple[Guard, ...]
    first: Block
    second: Block
    tag: str | None = field(default=None, compare=False)
    clauses: Clauses = field(default=(), compare=False)
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class End:
    """Tried in order after each part of a step; a late one only after the second part. The first that holds decides."""

    name: str
    outcome: str
    late: bool
    condition: Expr
    score: Expr
    clauses: Clauses = field(default=(), compare=False)
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Band:
    low: int
    high: int
    text: str


@dataclass(frozen=True)
class Bands:
    condition: Expr
    bands: tuple[Band, ...]
    refuted_because: str | None = None
    clauses: Clauses = field(default=(), compare=False)


@dataclass(frozen=True)
class Sight:
    """Facts a seat sees for each value of the binders with `where`."""

    facts: tuple[Expr, ...]
    binders: tuple[Local, ...]
    where: Expr
    clauses: Clauses = field(default=(), compare=False)


@dataclass(frozen=True)
class View:
    seat: Local
    sights: tuple[Sight, ...]
    clauses: Clauses = field(default=(), compare=False)


@dataclass(frozen=True)
class Telling:
    """The property's expressions are what an action reveals, for each value of the binders with `where`."""

    action: str
    binders: tuple[Local, ...]
    where: Expr


class PropertyKind(StrEnum):
    """The word that a property begins with. A defect is named like the obligation that is refuted."""

    INVARIANT = "invariant"
    STEP = "step"
    REACHABLE = "reachable"
    UNREACHABLE = "unreachable"
    TERMINATES = "terminates"
    DEADLOCK_FREE = "deadlock_free"
    EXAMPLE = "example"
    REVEALS = "reveals"
    DEFECT = "defect"


@dataclass(frozen=True)
class Property:
    """`params` are unknowns of an example, or stand for the parameters of the action that `told` names."""

    kind: PropertyKind
    name: str
    params: tuple[Local, ...]
    exprs: tuple[Expr, ...]
    refuted_because: str | None
    told: Telling | None = None
    clauses: Clauses = field(default=(), compare=False)
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class ActionPattern:
    """An action with some arguments fixed; the others are named by the interface."""

    action: str
    args: tuple[Expr | str, ...]


@dataclass(frozen=True)
class Interface:
    """How the outside names what the game has: texts, action patterns, values and names under keys.

    A value may depend on the state. What has none by itself is named: attributes, maps, constructors with fields.
    """

    name: str
    texts: tuple[tuple[str, str], ...]
    actions: tuple[tuple[str, ActionPattern], ...]
    values: tuple[tuple[str, tuple[Expr, ...]], ...]
    names: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class System:
    """One game for one choice of parameters and rulings."""

    name: str = field(compare=False)
    parameters: tuple[tuple[str, int], ...]
    rulings: tuple[tuple[str, str], ...] = field(compare=False)
    types: tuple[Type, ...]
    deck: Deck | None
    variables: tuple[Variable, ...]
    inits: tuple[Init, ...]
    actor: str | None
    actions: tuple[Action, ...]
    ends: tuple[End, ...]
    score: Expr
    bands: Bands | None
    view: View | None
    properties: tuple[Property, ...]
    interface: Interface | None

    def variable(self, name: str) -> Variable:
        return next(var for var in self.variables if var.name == name)

    def action(self, name: str) -> Action:
        return next(action for action in self.actions if action.name == name)
