"""Kernel expressions to Z3 terms, in a given state.

Quantifiers over small types are written out. Those over many individuals become counts: `exists φ` is "one or more",
`forall φ` is "none with not φ"; what a count is, is the business of the `CountTerms` that the translator was given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial, reduce
from math import prod
from typing import Any, Protocol, assert_never

import z3

from hanabi_formal.kernel.build import by_types, instances, negate
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
    remembered,
)
from hanabi_formal.kernel.operators import Operator
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.types import BOOL, SortType, UnionType, type_first, type_size
from hanabi_formal.smt.states import TermState
from hanabi_formal.smt.terms import (
    FALSE,
    TRUE,
    Term,
    all_of,
    any_of,
    apply,
    at_most,
    choose,
    less,
    no,
    plus,
    same,
    whole,
)

LARGE = 8


@dataclass(frozen=True)
class Scene:
    """Where an expression is read: a state, maybe the one after it, and the values of bound names."""

    state: TermState
    locals: Mapping[str, Term] = field(default_factory=dict)
    after: TermState | None = None
    end: Term | None = None
    end_after: Term | None = None

    def bind(self, names: Mapping[str, Term]) -> Scene:
        return Scene(self.state, {**self.locals, **names}, self.after, self.end, self.end_after)

    def at(self, state: TermState) -> Scene:
        return Scene(state, self.locals, self.after, self.end, self.end_after)


class Beyond(Exception):
    """Something the terms cannot say; what depends on it is undecided."""


class CountTerms(Protocol):
    def count(self, binder: Local, body: Expr, scene: Scene) -> Term: ...


def is_large(kind: Any) -> bool:
    return isinstance(kind, SortType) and kind.size > LARGE


class Translator:
    def __init__(self, system: System, counting: CountTerms, copy: str = "") -> None:
        self.system = system
        self.counting = counting
        self._known: dict[Any, tuple[Quant, Scene, Term]] = {}
        self._attributes: dict[str, Any] = {}
        if system.deck is not None:
            for name, _ in system.deck.attributes:
                self._attributes[name] = z3.Function(f"{name}@deal{copy}", z3.IntSort(), z3.IntSort())

    def attribute(self, name: str, card: Term) -> Term:
        return apply(self._attributes[name], (card,), False)

    def value(self, value: int, of: Expr) -> Term:
        if of.type == BOOL:
            return TRUE if value else FALSE
        return whole(value)

    def expr(self, node: Expr, scene: Scene) -> Term:
        match node:
            case Lit(value):
                return self.value(value, node)
            case Local(name):
                return scene.locals[name]
            case Get(var, index, _, primed):
                state = scene.after if primed else scene.state
                assert state is not None
                return state.read(var, tuple(self.expr(part, scene) for part in index))
            case Attr(name, card):
                return self.attribute(name, self.expr(card, scene))
            case Op("eq" | "le" | "lt" as op, (left, right)):
                # That both sides have a meaning is asked apart from this.
                known = remembered(node, "by types", partial(by_types, op, left, right))
                if known is not None:
                    return TRUE if known else FALSE
                return self._operate(op, [self.expr(left, scene), self.expr(right, scene)])
            case Op(op, args):
                return self._operate(op, [self.expr(arg, scene) for arg in args])
            case Ite(a, b, c):
                return choose(self.expr(a, scene), self.expr(b, scene), self.expr(c, scene))
            case Quant():
                return self._known_quantified(node, scene)
            case Inject(constructor, args, kind):
                return self._inject(kind, constructor, [self.expr(arg, scene) for arg in args])
            case Is(constructor, arg):
                assert isinstance(arg.type, UnionType)
                low = arg.type.offsets[constructor]
                term = self.expr(arg, scene)
                size = arg.type.constructors[constructor].size
                return all_of(at_most(whole(low), term), less(term, whole(low + size)))
            case Field(constructor, place, arg):
                return self._field(constructor, place, arg, scene)
            case Cast(arg):
                return self.expr(arg, scene)
            case Ended(end, primed):
                now = scene.end_after if primed else scene.end
                assert now is not None
                return now > 0 if end < 0 else now == end + 1
            case _:
                assert_never(node)

    def _operate(self, op: Operator, args: list[Term]) -> Term:
        match op:
            case "and":
                return all_of(*args)
            case "or":
                return any_of(*args)
            case "not":
                return no(args[0])
            case "eq":
                return same(args[0], args[1])
            case "lt":
                return less(args[0], args[1])
            case "le":
                return at_most(args[0], args[1])
            case "add":
                return plus(args)
            case "sub":
                return args[0] - args[1]
            case "mul":
                return args[0] * args[1]
            case "div":
                return args[0] / args[1]
            case "mod":
                return args[0] % args[1]
            case "min":
                return choose(at_most(args[0], args[1]), args[0], args[1])
            case "max":
                return choose(at_most(args[1], args[0]), args[0], args[1])
            case _:
                assert_never(op)

    def _inject(self, kind: UnionType, constructor: int, args: list[Term]) -> Term:
        number: Term = z3.IntVal(0)
        for field_type, arg in zip(kind.constructors[constructor].fields, args, strict=True):
            digit = z3.If(arg, 1, 0) if field_type == BOOL else arg - type_first(field_type)
            number = number * type_size(field_type) + digit
        return z3.simplify(kind.offsets[constructor] + number)

    def _field(self, constructor: int, place: int, arg: Expr, scene: Scene) -> Term:
        kind = arg.type
        assert isinstance(kind, UnionType)
        fields = kind.constructors[constructor].fields
        below = prod(map(type_size, fields[place + 1 :]))
        term = self.expr(arg, scene) - kind.offsets[constructor]
        if below > 1:
            term = term / below
        if place > 0:
            term = term % type_size(fields[place])
        return term == 1 if fields[place] == BOOL else term + type_first(fields[place])

    # ---- quantifiers ---------------------------------------------------------------------------
    def _known_quantified(self, node: Quant, scene: Scene) -> Term:
        """The same node in the same scene is the same term. What a key was made from is kept, lest it be used again."""
        names = tuple(scene.locals[name].get_id() for name in sorted(locals_in(node)))
        ends = tuple(end.get_id() if end is not None else 0 for end in (scene.end, scene.end_after))
        key = (id(node), id(scene.state), id(scene.after), ends, names)
        if key not in self._known:
            self._known[key] = (node, scene, self._quantified(node, scene))
        return self._known[key][2]

    def _quantified(self, node: Quant, scene: Scene) -> Term:
        large = [binder for binder in node.binders if is_large(binder.type)]
        if not large or node.kind in ("sum", "min", "max"):
            return self._written_out(node, scene)
        bodies = remembered(node, "counted", lambda: _to_count(node, large))
        parts = [self.counting.count(large[0], counted, scene) for counted in bodies]
        match node.kind:
            case "exists":
                return any_of(*(at_most(whole(1), part) for part in parts))
            case "forall":
                return all_of(*(same(part, whole(0)) for part in parts))
            case _:
                return plus(parts)

    def _written_out(self, node: Quant, scene: Scene) -> Term:
        written = remembered(node, "instances", lambda: list(instances(node.body, node.binders)))
        parts = [self.expr(instance, scene) for instance in written]
        match node.kind:
            case "exists":
                return any_of(*parts)
            case "forall":
                return all_of(*parts)
            case "count":
                return plus(choose(part, whole(1), whole(0)) for part in parts)
            case "sum":
                return plus(parts)
            case "min" | "max":
                op = node.kind
                return reduce(lambda found, part: self._operate(op, [found, part]), parts)
            case _:
                assert_never(node.kind)


def _to_count(node: Quant, large: list[Local]) -> list[Expr]:
    """What is counted over the first large binder, for each value of the small ones; of a `forall`, the exceptions."""
    body = node.body
    if len(large) > 1:
        if node.kind == "count":
            raise Beyond("a count over pairs of individuals")
        body = Quant(node.kind, tuple(large[1:]), body, BOOL)
    found = instances(body, tuple(binder for binder in node.binders if binder not in large))
    return [negate(instance) for instance in found] if node.kind == "forall" else list(found)
