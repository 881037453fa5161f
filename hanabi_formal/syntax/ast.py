"""What a rule file says, as a tree. Every node knows its place; nothing here knows what it means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Literal, dataclass_transform

from hanabi_formal.diagnostics.source import Span


@dataclass_transform(frozen_default=True)
@dataclass(frozen=True)
class Node:
    """All that is below it is a frozen dataclass, which need not be said of each."""

    span: Span

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)

    @property
    def children(self) -> Iterator[Node]:
        """The nodes directly below this one, in the order of the fields."""
        parts = [getattr(self, field.name) for field in reversed(fields(self))]
        while parts:
            part = parts.pop()
            if isinstance(part, Node):
                yield part
            elif isinstance(part, tuple):
                parts += reversed(part)

    def walk(self) -> Iterator[Node]:
        """This node and all below it, each before what is in it. Not recursive: no tree is too deep for it."""
        waiting: list[Node] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(list(node.children))


class Nested(Node):
    """What can stand in its like. How deep that goes is limited by the parser."""


class Ident(Node):
    """A name as written, with its place."""

    text: str

    def __str__(self) -> str:
        return self.text


class Cite(Node):
    """`@clause.id`: the clause that justifies what stands before it."""

    clause: str


Cites = tuple[Cite, ...]


# ---- types ---------------------------------------------------------------------------------------
class NamedType(Node):
    name: str


class RangeType(Node):
    """`lo..hi`, both ends included."""

    low: Expr
    high: Expr


class EnumType(Node):
    """`{a, b}`: an enumeration without a name."""

    values: tuple[Ident, ...]


Type = NamedType | RangeType | EnumType


# ---- expressions ---------------------------------------------------------------------------------
class Int(Node):
    value: int


class Bool(Node):
    value: bool


class Name(Node):
    """A name on its own: a constant, a variable, a parameter, a value of an enumeration."""

    name: str
    primed: bool = False


class Read(Nested):
    """`place[c]`, or `place[c]'` for its value after the step."""

    name: Ident
    index: tuple[Expr, ...]
    primed: bool = False


class Call(Nested):
    """`f(a, b)`: a definition, a constructor, a conversion or a built-in; `f(a, b)'` is primed.

    `named` holds `x = e` arguments.
    """

    name: Ident
    args: tuple[Expr, ...]
    named: tuple[tuple[Ident, Expr], ...] = ()
    primed: bool = False


class Unary(Nested):
    op: str
    arg: Expr


class Binary(Nested):
    left: Expr
    op: str
    right: Expr


class If(Nested):
    condition: Expr
    then: Expr
    otherwise: Expr


class Binder(Node):
    name: Ident
    type: Type


class ForClause(Node):
    """`for c : Card, p : Player where …`"""

    binders: tuple[Binder, ...]
    where: Expr | None


class Quantified(Nested):
    """`exists(… for c : Card where …)`, and likewise forall, count, sum, min, max."""

    kind: Literal["exists", "forall", "count", "sum", "min", "max"]
    body: Expr
    over: ForClause


class Extremum(Nested):
    """`min(a, b)` or `max(a, b)`."""

    kind: Literal["min", "max"]
    args: tuple[Expr, ...]


class Pattern(Node):
    """`some(x)`, a bare value, or `else` (constructor None)."""

    constructor: Ident | None = None
    fields: tuple[Ident, ...] = ()


class Arm(Node):
    pattern: Pattern
    body: Expr


class Match(Nested):
    subject: Expr
    arms: tuple[Arm, ...]


class ScoreValue(Node):
    """The word `score` in an expression, or `score'`."""

    primed: bool = False


Expr = Int | Bool | Name | Read | Call | Unary | Binary | If | Quantified | Extremum | Match | ScoreValue


# ---- statements ----------------------------------------------------------------------------------
class Block(Nested):
    statements: tuple[Stmt, ...]


class Update(Node):
    """`x' = e` or `m[i]' = e`."""

    target: Ident
    index: tuple[Expr, ...]
    value: Expr
    cites: Cites


class Branch(Node):
    """One arm of a case; condition None is the last `else`."""

    condition: Expr | None
    label: Ident | None
    cites: Cites
    block: Block


class Case(Nested):
    branches: tuple[Branch, ...]


class Loop(Nested):
    """Simultaneous updates, one for each value of the binders."""

    over: ForClause
    block: Block
    cites: Cites


class Reveal(Node):
    """Facts that the step tells, to everyone or to an audience."""

    facts: tuple[Expr, ...]
    over: ForClause | None
    audience: ForClause | None
    cites: Cites


class Perform(Node):
    """A named effect, done as part of this block."""

    name: Ident
    args: tuple[Expr, ...]
    cites: Cites


Stmt = Update | Case | Loop | Reveal | Perform


# ---- items ---------------------------------------------------------------------------------------
class SourceItem(Node):
    """`source "file.toml"`: where the clauses are listed."""

    path: str


class ClauseItem(Node):
    """`clause @id "text"`: a clause of one's own."""

    clause: str
    text: str


class Param(Node):
    name: Ident
    type: Type
    default: Expr | None
    cites: Cites


class Sort(Node):
    """So many individuals, numbered from 0."""

    name: Ident
    size: Expr
    cites: Cites


class Enum(Node):
    name: Ident
    values: tuple[Ident, ...]
    cites: Cites


class Constructor(Node):
    name: Ident
    fields: tuple[Type, ...]


class Union(Node):
    name: Ident
    constructors: tuple[Constructor, ...]
    cites: Cites


class Range(Node):
    name: Ident
    low: Expr
    high: Expr
    cites: Cites


class Cards(Node):
    """Individuals with rigid attributes; `copies` says how many there are of each face."""

    name: Ident
    attributes: tuple[Binder, ...]
    copies: Expr
    cites: Cites


class Const(Node):
    name: Ident
    value: Expr
    cites: Cites


class Ruling(Node):
    """A question the print leaves open, as a named choice."""

    name: Ident
    values: tuple[Ident, ...]
    default: Ident
    question: str
    cites: Cites


class ParamDecl(Node):
    """A parameter; an override may leave its type out."""

    name: Ident
    type: Type | None


class Def(Node):
    name: Ident
    params: tuple[ParamDecl, ...]
    body: Expr
    cites: Cites


class Effect(Node):
    name: Ident
    params: tuple[ParamDecl, ...]
    block: Block
    cites: Cites


class Var(Node):
    """A state variable, `word` is `var`; or a `record`, one that only views and properties may read."""

    word: str
    name: Ident
    indices: tuple[Type, ...]
    type: Type
    cites: Cites

    @property
    def is_record(self) -> bool:
        return self.word == "record"


class Init(Node):
    """`x = e` or `m[c] = e` at the start."""

    name: Ident
    index: tuple[Ident, ...]
    value: Expr
    cites: Cites


class Start(Node):
    inits: tuple[Init, ...]


class Actor(Node):
    """The variable that says whose turn it is."""

    name: Ident


class Guard(Node):
    condition: Expr
    label: Ident | None
    cites: Cites


class Action(Node):
    name: Ident
    params: tuple[ParamDecl, ...]
    tag: Ident | None
    cites: Cites
    guards: tuple[Guard, ...]
    first: Block
    first_cites: Cites
    second: Block | None
    second_cites: Cites


class After(Node):
    """What every action with the tag does besides."""

    tag: Ident
    name: Ident
    first: Block | None
    second: Block | None
    cites: Cites


class End(Node):
    name: Ident
    late: bool
    outcome: str
    condition: Expr
    score: Expr | None
    cites: Cites


class Score(Node):
    value: Expr
    cites: Cites


class Band(Node):
    low: Expr
    high: Expr
    text: str


class Bands(Node):
    condition: Expr | None
    bands: tuple[Band, ...]
    refuted_because: str | None
    cites: Cites


class Sight(Node):
    facts: tuple[Expr, ...]
    over: ForClause | None
    cites: Cites


class View(Node):
    seat: Binder
    sights: tuple[Sight, ...]
    cites: Cites


class Property(Node):
    """`kind` is invariant, step, reachable, unreachable, terminates, deadlock_free, example, reveals or defect.

    A defect is named like the obligation that is refuted. `told` says which action reveals the expressions.
    """

    kind: str
    name: Ident
    exprs: tuple[Expr, ...]
    refuted_because: str | None
    cites: Cites
    params: tuple[ParamDecl, ...] = ()
    told: Telling | None = None


class Telling(Node):
    """`hand_over(p, c)` and, for several facts at once, `for … where …`."""

    action: Ident
    args: tuple[Ident, ...]
    over: ForClause | None = None


class EntryText(Node):
    text: str


class EntryAction(Node):
    """`action play(c, true)`: names that mean nothing else are the entry's own parameters."""

    action: Ident
    args: tuple[Expr, ...]


class EntryValues(Node):
    values: tuple[Expr, ...]


class Entry(Node):
    key: Ident
    value: EntryText | EntryAction | EntryValues


class Interface(Node):
    name: Ident
    entries: tuple[Entry, ...]


Item = (
    SourceItem
    | ClauseItem
    | Param
    | Sort
    | Enum
    | Union
    | Range
    | Cards
    | Const
    | Ruling
    | Def
    | Effect
    | Var
    | Start
    | Actor
    | Action
    | After
    | End
    | Score
    | Bands
    | View
    | Property
    | Interface
)


# ---- changes -------------------------------------------------------------------------------------
class AddValue(Node):
    """`add value gold to Metal`"""

    values: tuple[Ident, ...]
    enum: Ident
    cites: Cites


class AddItem(Node):
    """`add …`; an end may say which other end it comes `before`."""

    item: Item
    before: Ident | None = None


class OverrideItem(Node):
    item: Item


class Path(Node):
    """`taken`, or `take.last` for a labelled part."""

    owner: Ident
    part: Ident | None

    def __str__(self) -> str:
        return f"{self.owner}.{self.part}" if self.part else str(self.owner)


class OverrideGuard(Node):
    path: Path
    condition: Expr
    cites: Cites


class OverrideCase(Node):
    path: Path
    block: Block
    cites: Cites


class Strengthen(Node):
    action: Ident
    guard: Guard


class Remove(Node):
    kind: str
    path: Path
    cites: Cites


class SetValue(Node):
    """`set ruling = value`, or a parameter's default."""

    name: Ident
    value: Expr
    because: str | None
    cites: Cites


class SetType(Node):
    """`set players : 2..6`: what a parameter may be."""

    name: Ident
    type: Type
    cites: Cites


class Excludes(Node):
    """This unit and that one contradict each other."""

    name: Ident
    because: str


Change = (
    AddValue
    | AddItem
    | OverrideItem
    | OverrideGuard
    | OverrideCase
    | Strengthen
    | Remove
    | SetValue
    | SetType
    | Excludes
    | SourceItem
    | ClauseItem
)


class With(Node):
    """What an edition or a variant says about itself together with other variants."""

    variants: tuple[Ident, ...]
    changes: tuple[Change, ...]


# ---- units ---------------------------------------------------------------------------------------
class Game(Node):
    name: Ident
    items: tuple[Item, ...]


class Changing(Node):
    """A unit that changes what it extends. What it says of combinations with other variants is among its changes."""

    name: Ident
    extends: tuple[Ident, ...]
    offers: tuple[Ident, ...]
    body: tuple[Change | With, ...]

    @property
    def changes(self) -> tuple[Change, ...]:
        return tuple(part for part in self.body if not isinstance(part, With))

    @property
    def withs(self) -> tuple[With, ...]:
        return tuple(part for part in self.body if isinstance(part, With))


class Variant(Changing):
    """It offers nothing."""


class Edition(Changing):
    """A printed edition, and the variants that it offers."""


Unit = Game | Variant | Edition
