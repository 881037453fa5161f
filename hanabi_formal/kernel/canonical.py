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
from hanabi_formal.kernel.rewrite import Rewriter
from hanabi_formal.kernel.system import System

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
    return _text(NumberedNames().expr(expr))


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
class NumberedNames(Rewriter):
    """The names that are bound where an expression stands, and how many were bound on the way."""

    names: Mapping[str, Local] = field(default_factory=dict)
    depth: int = 0

    def bind(self, *binders: Local) -> tuple[tuple[Local, ...], NumberedNames]:
        made = tuple(Local(str(self.depth + number), binder.type) for number, binder in enumerate(binders))
        names = {**self.names, **{old.name: new for old, new in zip(binders, made, strict=True)}}
        return made, NumberedNames(names, self.depth + len(made))

    def expr(self, expr: Expr) -> Expr:
        match expr:
            case Local(name, kind):
                # A name that nothing binds is kept, so that no bound one can be meant.
                return self.names.get(name) or Local(f"unbound {name}", kind)
            case Quant(binders=binders, body=body):
                bound, inside = self.bind(*binders)
                return replace(expr, binders=bound, body=inside.expr(body))
            case _:
                return rebuild(expr, self.expr)


def canonical(system: System) -> System:
    """The same game with bound names numbered by where they stand, and without its name."""
    return replace(NumberedNames().system(system), name="", rulings=())
