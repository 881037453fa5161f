"""Expressions with all names gone: parameters, bound names and the deal put in, quantifiers written out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from itertools import product
from typing import Any, assert_never

from hanabi_formal.kernel.expr import (
    Attr,
    Cast,
    Ended,
    Expr,
    Field,
    Get,
    Inject,
    Is,
    Ite,
    Lit,
    Local,
    Op,
    Quant,
    locals_in,
)
from hanabi_formal.kernel.operators import BINARY, DECIDING, Operator, Quantifier
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.types import BOOL, Type, UnionType, type_first, type_values
from hanabi_formal.sat.encode.nodes import GroundNode, Nodes

Environment = Mapping[str, int]


class Grounder(Nodes):
    """Makes nodes for one system and one deal."""

    def __init__(self, system: System, faces: tuple[int, ...]) -> None:
        super().__init__(system)
        self._known: dict[Any, GroundNode] = {}
        self._attributes: dict[str, tuple[int, ...]] = {}
        if system.deck is not None:
            for place, (name, _) in enumerate(system.deck.attributes):
                self._attributes[name] = tuple(system.deck.faces[face][place] for face in faces)

    def ground(self, expr: Expr, env: Environment) -> GroundNode:
        if isinstance(expr, Lit | Local):
            return self._ground(expr, env)
        key = (id(expr), *[env[name] for name in sorted(locals_in(expr))])
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._ground(expr, env)
        return found

    def _ground(self, expr: Expr, env: Environment) -> GroundNode:
        match expr:
            case Lit(value):
                return self.constant(value, expr.type == BOOL)
            case Local(name):
                return self.constant(env[name], expr.type == BOOL)
            case Ended():
                return self.false
            case Get(var, index):
                return self._get(var, tuple(self.ground(part, env) for part in index))
            case Attr(name, card):
                values = self._attributes[name]
                return self.call(("attr", name), lambda c: values[c], (self.ground(card, env),), expr.type)
            case Op(op, args):
                return self._operate(op, args, expr.type, env)
            case Ite(condition, then, otherwise):
                test = self.ground(condition, env)
                if test.kind == "lit":
                    return self.ground(then if test.extra else otherwise, env)
                a, b = self.ground(then, env), self.ground(otherwise, env)
                return a if a is b else self._node("if", (test, a, b), None, a.is_truth)
            case Quant(kind, binders, body):
                return self._quantified(kind, binders, body, env)
            case Inject(constructor, args, union):
                inside = [type_values(kind) for kind in union.constructors[constructor].fields]

                def made(*fields: int) -> int | None:
                    fits = all(value in values for value, values in zip(fields, inside, strict=True))
                    return union.encode(constructor, fields) if fits else None

                parts = tuple(self.ground(arg, env) for arg in args)
                return self.call(("made", union.name, constructor), made, parts, union)
            case Is(constructor, arg):
                tested = arg.type
                assert isinstance(tested, UnionType)
                return self.call(
                    ("is", tested.name, constructor),
                    lambda v: int(tested.decode(v)[0] == constructor),
                    (self.ground(arg, env),),
                    BOOL,
                )
            case Field(constructor, place, arg, field_type):
                whole = arg.type
                assert isinstance(whole, UnionType)

                def part(value: int) -> int:
                    which, fields = whole.decode(value)
                    return fields[place] if which == constructor else type_first(field_type)

                name_of = ("field", whole.name, constructor, place)
                return self.call(name_of, part, (self.ground(arg, env),), field_type)
            case Cast(arg, kind):
                values_of = type_values(kind)
                return self.call(
                    ("cast", values_of.start, values_of.stop),
                    lambda v: v if v in values_of else None,
                    (self.ground(arg, env),),
                    kind,
                )
            case _:
                assert_never(expr)

    def _get(self, var: str, index: tuple[GroundNode, ...]) -> GroundNode:
        table = self.tables[var]
        is_truth = table.type == BOOL
        if all(part.kind == "lit" for part in index):
            place = table.place(part.extra for part in index)
            if place is not None:
                return self._node("get", (), place, is_truth)
        return self._node("look", index, var, is_truth)

    def _operate(self, op: Operator, args: tuple[Expr, ...], kind: Type, env: Environment) -> GroundNode:
        match op:
            case "and" | "or":
                stop = self.constant(DECIDING[op], True)
                parts: list[GroundNode] = []
                for arg in args:
                    parts.append(self.ground(arg, env))
                    if parts[-1] is stop:
                        return stop
                return self.both(parts) if op == "and" else self.either(parts)
            case "not":
                return self.negated(self.ground(args[0], env))
        left, right = self.ground(args[0], env), self.ground(args[1], env)
        match op:
            case "eq" | "lt" | "le":
                return self.compared(left, right, op)
            case "add":
                return self.total(((1, left), (1, right)))
            case "sub":
                return self.total(((1, left), (-1, right)))
            case "mul" if left.kind == "lit" or right.kind == "lit":
                by, node = (left, right) if left.kind == "lit" else (right, left)
                return self.total(((by.extra, node),))
            case "mul" | "div" | "mod" | "min" | "max":
                return self.call(("op", op), BINARY[op], (left, right), kind)
            case _:
                assert_never(op)

    def _quantified(self, kind: Quantifier, binders: tuple[Local, ...], body: Expr, env: Environment) -> GroundNode:
        inner = dict(env)
        parts: list[GroundNode] = []
        stop = {"exists": self.true, "forall": self.false}.get(kind)
        for values in product(*(type_values(binder.type) for binder in binders)):
            for binder, value in zip(binders, values, strict=True):
                inner[binder.name] = value
            parts.append(self.ground(body, inner))
            if parts[-1] is stop:
                return stop
        match kind:
            case "exists":
                return self.either(parts)
            case "forall":
                return self.both(parts)
            case "count":
                sure = parts.count(self.true)
                open_ones = tuple(sorted((p for p in parts if p.kind != "lit"), key=lambda p: p.number))
                if not open_ones:
                    return self.number(sure)
                return self.total([(1, self._node("count", open_ones, None, False))], sure)
            case "sum":
                return self.total((1, part) for part in parts)
            case "min" | "max":
                work = BINARY[kind]
                return reduce(lambda found, part: self.call(("op", kind), work, (found, part), body.type), parts)
            case _:
                assert_never(kind)
