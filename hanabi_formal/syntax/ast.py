"""What a rule file says, as a tree. Every node knows its place; nothing here knows what it means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hanabi_formal.diagnostics.source import Span


@dataclass(frozen=True)
class Node:
    span: Span


@dataclass(frozen=True)
class Ident(Node):
    """A name as written, with its place."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Cite(Node):
    """`@clause.id`: the clause that justifies what stands before it."""

    clause: str


Cites = tuple[Cite, ...]


# ---- types ---------------------------------------------------------------------------------------
@dataclass(frozen=True)
class NamedType(Node):
    name: str


@dataclass(frozen=True)
class RangeType(Node):
    """`lo..hi`, both ends included."""

    low: Expr
    high: Expr


@dataclass(frozen=True)
class EnumType(Node):
    """`{a, b}`: an enumeration without a name."""

    values: tuple[Ident, ...]


Type = NamedType | RangeType | EnumType


# ---- expressions ---------------------------------------------------------------------------------
@dataclass(frozen=True)
class Int(Node):
    value: int


@dataclass(frozen=True)
class Bool(Node):
    value: bool


@dataclass(frozen=True)
class Name(Node):
    """A name on its own: a constant, a variable, a parameter, a value of an enumeration."""

    name: str
    primed: bool = False


@dataclass(frozen=True)
class Read(Node):
    """`place[c]`, or `place[c]'` for its value after the step."""

    name: Ident
    index: tuple[Expr, ...]
    primed: bool = False


@dataclass(frozen=True)
class Call(Node):
    """`f(a, b)`: a definition, a constructor, a conversion or a built-in; `f(a, b)'` is primed.

    `named` holds `x = e` arguments.
    """

    name: Ident
    args: tuple[Expr, ...]
    named: tuple[tuple[Ident, Expr], ...] = ()
    primed: bool = False


@dataclass(frozen=True)
class Unary(Node):
    op: str
    arg: Expr


@dataclass(frozen=True)
class Binary(Node):
    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class If(Node):
    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True)
class Binder(Node):
    name: Ident
    type: Type


@dataclass(frozen=True)
class ForClause(Node):
    """`for c : Card, p : Player where …`"""

    binders: tuple[Binder, ...]
    where: Expr | None


@dataclass(frozen=True)
class Quantified(Node):
    """`exists(… for c : Card where …)`, and likewise forall, count, sum, min, max."""

    kind: Literal["exists", "forall", "count", "sum", "min", "max"]
    body: Expr
    over: ForClause


@dataclass(frozen=True)
class Extremum(Node):
    """`min(a, b)` or `max(a, b)`."""

    kind: Literal["min", "max"]
    args: tuple[Expr, ...]


@dataclass(frozen=True)
class Pattern(Node):
    """`some(x)`, a bare value, or `else` (constructor None)."""

    constructor: Ident | None
    fields: tuple[Ident, ...]


@dataclass(frozen=True)
class Arm(Node):
    pattern: Pattern
    body: Expr


@dataclass(frozen=True)
class Match(Node):
    subject: Expr
    arms: tuple[Arm, ...]


@dataclass(frozen=True)
class ScoreValue(Node):
    """The word `score` in an expression, or `score'`."""

    primed: bool = False


Expr = Int | Bool | Name | Read | Call | Unary | Binary | If | Quantified | Extremum | Match | ScoreValue


# ---- statements ----------------------------------------------------------------------------------
@dataclass(frozen=True)
class Block(Node):
    statements: tuple[Stmt, ...]


@dataclass(frozen=True)
class Update(Node):
    """`x' = e` or `m[i]' = e`."""

    target: Ident
    index: tuple[Expr, ...]
    value: Expr
    cites: Cites


@dataclass(frozen=True)
class Branch(Node):
    """One arm of a case; condition None is the last `else`."""

    condition: Expr | None
    label: Ident | None
    cites: Cites
    block: Block


@dataclass(frozen=True)
class Case(Node):
    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class Loop(Node):
    """Simultaneous updates, one for each value of the binders."""

    over: ForClause
    block: Block
    cites: Cites


@dataclass(frozen=True)
class Reveal(Node):
    """Facts that the step tells, to everyone or to an audience."""

    facts: tuple[Expr, ...]
    over: ForClause | None
    audience: ForClause | None
    cites: Cites


@dataclass(frozen=True)
class Perform(Node):
    """A named effect, done as part of this block."""

    name: Ident
    args: tuple[Expr, ...]
    cites: Cites


Stmt = Update | Case | Loop | Reveal | Perform


# ---- items ---------------------------------------------------------------------------------------
@dataclass(frozen=True)
class SourceItem(Node):
    """`source "file.toml"`: where the clauses are listed."""

    path: str


@dataclass(frozen=True)
class ClauseItem(Node):
    """`clause @id "text"`: a clause of one's own."""

    clause: str
    text: str


@dataclass(frozen=True)
class Param(Node):
    name: Ident
    type: Type
    default: Expr | None
    cites: Cites


@dataclass(frozen=True)
class Sort(Node):
    """So many individuals, numbered from 0."""

    name: Ident
    size: Expr
    cites: Cites


@dataclass(frozen=True)
class Enum(Node):
    name: Ident
    values: tuple[Ident, ...]
    cites: Cites


@dataclass(frozen=True)
class Constructor(Node):
    name: Ident
    fields: tuple[Type, ...]


@dataclass(frozen=True)
class Union(Node):
    name: Ident
    constructors: tuple[Constructor, ...]
    cites: Cites


@dataclass(frozen=True)
class Range(Node):
    name: Ident
    low: Expr
    high: Expr
    cites: Cites


@dataclass(frozen=True)
class Cards(Node):
    """Individuals with rigid attributes; `copies` says how many there are of each face."""

    name: Ident
    attributes: tuple[Binder, ...]
    copies: Expr
    cites: Cites


@dataclass(frozen=True)
class Const(Node):
    name: Ident
    value: Expr
    cites: Cites


@dataclass(frozen=True)
class Ruling(Node):
    """A question the print leaves open, as a named choice."""

    name: Ident
    values: tuple[Ident, ...]
    default: Ident
    question: str
    cites: Cites


@dataclass(frozen=True)
class ParamDecl(Node):
    """A parameter; an override may leave its type out."""

    name: Ident
    type: Type | None


@dataclass(frozen=True)
class Def(Node):
    name: Ident
    params: tuple[ParamDecl, ...]
    body: Expr
    cites: Cites


@dataclass(frozen=True)
class Effect(Node):
    name: Ident
    params: tuple[ParamDecl, ...]
    block: Block
    cites: Cites


@dataclass(frozen=True)
class Var(Node):
    """A state variable; a record is one that only views and properties may read."""

    name: Ident
    indices: tuple[Type, ...]
    type: Type
    is_record: bool
    cites: Cites


@dataclass(frozen=True)
class Init(Node):
    """`x = e` or `m[c] = e` at the start."""

    name: Ident
    index: tuple[Ident, ...]
    value: Expr
    cites: Cites


@dataclass(frozen=True)
class Start(Node):
    inits: tuple[Init, ...]


@dataclass(frozen=True)
class Actor(Node):
    """The variable that says whose turn it is."""

    name: Ident


@dataclass(frozen=True)
class Guard(Node):
    condition: Expr
    label: Ident | None
    cites: Cites


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class After(Node):
    """What every action with the tag does besides."""

    tag: Ident
    name: Ident
    first: Block | None
    second: Block | None
    cites: Cites


@dataclass(frozen=True)
class End(Node):
    name: Ident
    late: bool
    outcome: str
    condition: Expr
    score: Expr | None
    cites: Cites


@dataclass(frozen=True)
class Score(Node):
    value: Expr
    cites: Cites


@dataclass(frozen=True)
class Band(Node):
    low: Expr
    high: Expr
    text: str


@dataclass(frozen=True)
class Bands(Node):
    condition: Expr | None
    bands: tuple[Band, ...]
    refuted_because: str | None
    cites: Cites


@dataclass(frozen=True)
class Sight(Node):
    facts: tuple[Expr, ...]
    over: ForClause | None
    cites: Cites


@dataclass(frozen=True)
class View(Node):
    seat: Binder
    sights: tuple[Sight, ...]
    cites: Cites


@dataclass(frozen=True)
class Property(Node):
    """`kind` is invariant, step, reachable, unreachable, terminates, deadlock_free, example, reveals or defect.

    A defect is named like the obligation that is refuted. `told` says which action reveals the expressions.
    """

    kind: str
    name: Ident
    params: tuple[ParamDecl, ...]
    exprs: tuple[Expr, ...]
    refuted_because: str | None
    cites: Cites
    told: Telling | None = None


@dataclass(frozen=True)
class Telling(Node):
    """`hand_over(p, c)` and, for several facts at once, `for … where …`."""

    action: Ident
    args: tuple[Ident, ...]
    over: ForClause | None


@dataclass(frozen=True)
class EntryText(Node):
    text: str


@dataclass(frozen=True)
class EntryAction(Node):
    """`action play(c, true)`: names that mean nothing else are the entry's own parameters."""

    action: Ident
    args: tuple[Expr, ...]


@dataclass(frozen=True)
class EntryValues(Node):
    values: tuple[Expr, ...]


@dataclass(frozen=True)
class Entry(Node):
    key: Ident
    value: EntryText | EntryAction | EntryValues


@dataclass(frozen=True)
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
@dataclass(frozen=True)
class AddValue(Node):
    """`add value gold to Metal`"""

    values: tuple[Ident, ...]
    enum: Ident
    cites: Cites


@dataclass(frozen=True)
class AddItem(Node):
    """`add …`; an end may say which other end it comes `before`."""

    item: Item
    before: Ident | None = None


@dataclass(frozen=True)
class OverrideItem(Node):
    item: Item


@dataclass(frozen=True)
class Path(Node):
    """`taken`, or `take.last` for a labelled part."""

    owner: Ident
    part: Ident | None

    def __str__(self) -> str:
        return f"{self.owner}.{self.part}" if self.part else str(self.owner)


@dataclass(frozen=True)
class OverrideGuard(Node):
    path: Path
    condition: Expr
    cites: Cites


@dataclass(frozen=True)
class OverrideCase(Node):
    path: Path
    block: Block
    cites: Cites


@dataclass(frozen=True)
class Strengthen(Node):
    action: Ident
    guard: Guard


@dataclass(frozen=True)
class Remove(Node):
    kind: str
    path: Path
    cites: Cites


@dataclass(frozen=True)
class SetValue(Node):
    """`set ruling = value`, or a parameter's default."""

    name: Ident
    value: Expr
    because: str | None
    cites: Cites


@dataclass(frozen=True)
class SetType(Node):
    """`set players : 2..6`: what a parameter may be."""

    name: Ident
    type: Type
    cites: Cites


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class With(Node):
    """What an edition or a variant says about itself together with other variants."""

    variants: tuple[Ident, ...]
    changes: tuple[Change, ...]


# ---- units ---------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Game(Node):
    name: Ident
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Variant(Node):
    name: Ident
    extends: tuple[Ident, ...]
    changes: tuple[Change, ...]
    withs: tuple[With, ...]


@dataclass(frozen=True)
class Edition(Node):
    name: Ident
    extends: tuple[Ident, ...]
    offers: tuple[Ident, ...]
    changes: tuple[Change, ...]
    withs: tuple[With, ...]


Unit = Game | Variant | Edition
