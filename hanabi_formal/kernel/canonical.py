"""One text for one game: the canonical form of a System, written and read back.

The text is a table. Every node is a row with the name of its kind and its fields: names and numbers as themselves,
sequences as lists, other nodes as `{"row": n}`, and a bound name as the number of names bound around it. So the text
says which is which: a variable is never taken for a value, nor a bound name for either, whatever they are called.
`read(write(system)) == canonical(system)`: nothing is lost on the way, so different games have different texts, and the
hash of the text is the identity of the game.

What does not compare in a System (its name, places in files, citations, labels) is no part of it. The fields of a node
are taken from its class: one that is added later is in the form by itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import cache
from hashlib import sha256
from types import MappingProxyType
from typing import Any, get_args

from hanabi_formal.kernel import expr as expressions
from hanabi_formal.kernel import system as systems
from hanabi_formal.kernel import types
from hanabi_formal.kernel.expr import Expr, Local, Quant, rebuild
from hanabi_formal.kernel.system import (
    Action,
    ActionPattern,
    Assign,
    Bands,
    Block,
    Branch,
    Case,
    End,
    ForEach,
    Guard,
    Init,
    Interface,
    Property,
    Reveal,
    Sight,
    System,
    View,
)

FORM = 2
"""The version of the form. Whatever is found by an identity is lost when this changes."""

KINDS: Mapping[str, type] = MappingProxyType(
    {
        kind.__name__: kind
        for kind in (
            *get_args(expressions.Expr),
            *get_args(types.Type),
            types.Constructor,
            *(each for each in vars(systems).values() if is_dataclass(each) and each.__module__ == systems.__name__),
        )
    }
)
NODES = frozenset(KINDS.values())


class Malformed(ValueError):
    """A text that `write` did not write."""


# ---- identity --------------------------------------------------------------------------------------
def identity(system: System) -> str:
    """What this game is told apart by: two have the same one only if they are the same in everything that counts."""
    return sha256(f"form {FORM}\n{write(system)}".encode()).hexdigest()


def rules_identity(system: System) -> str:
    """The same of the rules alone: what is stated about them may differ."""
    return identity(replace(system, properties=()))


def form_of(expr: Expr) -> str:
    """The canonical text of an expression: the same for two that differ in bound names only."""
    return _text(_expr(expr, Scope()))


# ---- text ------------------------------------------------------------------------------------------
def write(system: System) -> str:
    return _text(canonical(system))


def read(text: str) -> System:
    """The system that was written, or `Malformed`."""
    try:
        table = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise Malformed(str(problem)) from None
    nodes: list[Any] = []
    for row in table if isinstance(table, list) else ():
        match row:
            case [str(name), [*parts]] if name in KINDS and len(parts) == len(_compared(KINDS[name])):
                kind = KINDS[name]
                values = (_value(part, nodes) for part in parts)
                nodes.append(kind(**_left_out(kind), **dict(zip(_compared(kind), values, strict=True))))
            case _:
                raise Malformed(f"row {len(nodes)} is no node")
    if not nodes or not isinstance(nodes[-1], System):
        raise Malformed("it does not end with a system")
    return nodes[-1]


def _text(root: Any) -> str:
    """What a node consists of comes before it; what is the same is written once."""
    rows: dict[str, int] = {}
    numbers: dict[int, int] = {}  # by identity: all nodes live as long as the root does
    todo = [root]
    while todo:
        node = todo[-1]
        kind: type = type(node)
        parts = [getattr(node, name) for name in _compared(kind)]
        below = [part for part in _nodes(parts) if id(part) not in numbers]
        if below:
            todo += below
            continue
        row = json.dumps([kind.__name__, [_reference(part, numbers) for part in parts]], separators=(",", ":"))
        numbers[id(node)] = rows.setdefault(row, len(rows))
        todo.pop()
    return "[" + ",\n".join(rows) + "]"


def _nodes(parts: Iterable[Any]) -> Iterator[Any]:
    for part in parts:
        if isinstance(part, tuple):
            yield from _nodes(part)
        elif type(part) in NODES:
            yield part


def _reference(part: Any, numbers: Mapping[int, int]) -> Any:
    if isinstance(part, tuple):
        return [_reference(one, numbers) for one in part]
    return {"row": numbers[id(part)]} if type(part) in NODES else part


def _value(data: Any, nodes: Sequence[Any]) -> Any:
    match data:
        case None | bool() | int() | str():
            return data
        case list():
            return tuple(_value(one, nodes) for one in data)
        case {"row": int(number), **rest} if not rest and 0 <= number < len(nodes):
            return nodes[number]
    raise Malformed("a field is neither a name nor a number nor an earlier row")


@cache
def _compared(kind: type) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind) if each.compare)


@cache
def _left_out(kind: type) -> Mapping[str, Any]:
    """What the form does not tell and must nevertheless be said: the name of a system, and its rulings."""
    needed = {each.name for each in fields(kind) if not each.compare and each.default is MISSING}
    return MappingProxyType({name: "" if name == "name" else () for name in needed})


# ---- bound names by position -------------------------------------------------------------------------
@dataclass(frozen=True)
class Scope:
    """The names that are bound where an expression stands, and how many were bound on the way."""

    names: Mapping[str, Local] = field(default_factory=dict)
    depth: int = 0

    def bind(self, *binders: Local) -> tuple[tuple[Local, ...], Scope]:
        made = tuple(Local(str(self.depth + number), binder.type) for number, binder in enumerate(binders))
        names = {**self.names, **{old.name: new for old, new in zip(binders, made, strict=True)}}
        return made, Scope(names, self.depth + len(made))

    def name(self, local: Local) -> Local:
        """A name that nothing binds is kept, so that no bound one can be meant."""
        return self.names.get(local.name) or Local(f"unbound {local.name}", local.type)


def canonical(system: System) -> System:
    """The same game with bound names numbered by where they stand, and without what does not count."""
    outside = Scope()
    return replace(
        system,
        name="",
        rulings=(),
        inits=tuple(_init(init, outside) for init in system.inits),
        actions=tuple(_action(action, outside) for action in system.actions),
        ends=tuple(
            End(end.name, end.outcome, end.late, _expr(end.condition, outside), _expr(end.score, outside))
            for end in system.ends
        ),
        score=_expr(system.score, outside),
        bands=_bands(system.bands, outside),
        view=_view(system.view, outside),
        properties=tuple(_property(prop, outside) for prop in system.properties),
        interface=_interface(system.interface, outside),
    )


def _expr(node: Expr, scope: Scope) -> Expr:
    match node:
        case Local():
            return scope.name(node)
        case Quant(kind, binders, body, type_):
            bound, inside = scope.bind(*binders)
            return Quant(kind, bound, _expr(body, inside), type_)
        case _:
            return rebuild(node, lambda child: _expr(child, scope))


def _exprs(nodes: tuple[Expr, ...], scope: Scope) -> tuple[Expr, ...]:
    return tuple(_expr(node, scope) for node in nodes)


def _init(init: Init, scope: Scope) -> Init:
    binders, inside = scope.bind(*init.binders)
    return Init(init.var, binders, _expr(init.value, inside))


def _action(action: Action, scope: Scope) -> Action:
    params, inside = scope.bind(*action.params)
    guards = tuple(Guard(_expr(guard.condition, inside)) for guard in action.guards)
    return Action(action.name, params, guards, _block(action.first, inside), _block(action.second, inside))


def _block(block: Block, scope: Scope) -> Block:
    return tuple(_statement(statement, scope) for statement in block)


def _statement(statement: systems.Statement, scope: Scope) -> systems.Statement:
    match statement:
        case Assign(var, index, value):
            return Assign(var, _exprs(index, scope), _expr(value, scope))
        case Case(branches):
            return Case(tuple(Branch(_expr(b.condition, scope), _block(b.block, scope)) for b in branches))
        case ForEach(binders, where, block):
            bound, inside = scope.bind(*binders)
            return ForEach(bound, _expr(where, inside), _block(block, inside))
        case Reveal(facts, binders, where, seat, allowed):
            bound, inside = scope.bind(*binders)
            audience, within = inside.bind(*([] if seat is None else [seat]))
            to = audience[0] if audience else None
            return Reveal(_exprs(facts, inside), bound, _expr(where, inside), to, _expr(allowed, within))


def _bands(bands: Bands | None, scope: Scope) -> Bands | None:
    return None if bands is None else Bands(_expr(bands.condition, scope), bands.bands, bands.refuted_because)


def _view(view: View | None, scope: Scope) -> View | None:
    if view is None:
        return None
    (seat,), inside = scope.bind(view.seat)
    sights = []
    for sight in view.sights:
        binders, within = inside.bind(*sight.binders)
        sights.append(Sight(_exprs(sight.facts, within), binders, _expr(sight.where, within)))
    return View(seat, tuple(sights))


def _property(prop: Property, scope: Scope) -> Property:
    params, inside = scope.bind(*prop.params)
    told = prop.told
    if told is not None:
        binders, inside = inside.bind(*told.binders)
        told = systems.Telling(told.action, binders, _expr(told.where, inside))
    return Property(prop.kind, prop.name, params, _exprs(prop.exprs, inside), prop.refuted_because, told)


def _interface(interface: Interface | None, scope: Scope) -> Interface | None:
    if interface is None:
        return None
    patterns = tuple(
        (key, ActionPattern(made.action, tuple(a if isinstance(a, str) else _expr(a, scope) for a in made.args)))
        for key, made in interface.actions
    )
    values = tuple((key, _exprs(several, scope)) for key, several in interface.values)
    return replace(interface, actions=patterns, values=values)
