"""What holds in the first state of every deal: worked out where the deal does not matter, else asked of the solver."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import product
from typing import assert_never

import z3

from hanabi_formal.kernel.build import interval
from hanabi_formal.kernel.expr import Attr, Cast, Ended, Expr, Field, Get, Inject, Is, Ite, Lit, Local, Op, Quant, walk
from hanabi_formal.kernel.operators import BINARY, QUANTIFIERS, Quantifier
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.types import UnionType, type_first, type_values
from hanabi_formal.prove.induction.solver_call import PROVED, ProofOutcome, ask
from hanabi_formal.smt.counts import GroundCounts
from hanabi_formal.smt.states import in_type, term_sort
from hanabi_formal.smt.step import Stepper
from hanabi_formal.smt.terms import Term
from hanabi_formal.smt.translate import Scene, Translator

Known = int | None


class AtStart:
    """Evaluates expressions in the first state; None means that it depends on the deal.

    How many cards of each face there are does not depend on the deal: a count of cards that asks only for their faces,
    and for what is true of every card at the start, has a value.
    """

    def __init__(self, system: System) -> None:
        self._inits = {init.var: init for init in system.inits}
        self._ends = system.ends
        self._deck = system.deck
        self._faces: dict[int, int] = {}

    def holds(self, expr: Expr) -> bool | None:
        value = self._value(expr, {})
        return None if value is None else bool(value)

    def _value(self, expr: Expr, names: dict[str, int]) -> Known:
        match expr:
            case Lit(value):
                return value
            case Local(name):
                return names[name]
            case Get(var, index):
                init, at = self._inits[var], self._values(index, names)
                if at is None:
                    return None
                return self._value(init.value, {b.name: v for b, v in zip(init.binders, at, strict=True)})
            case Attr(name, card):
                return self._attribute(name, self._value(card, names))
            case Op("and" | "or", args):
                return self._junction(expr.op, args, names)
            case Ite(condition, then, otherwise):
                test = self._value(condition, names)
                return None if test is None else self._value(then if test else otherwise, names)
            case Quant(kind, binders, body):
                return self._quantified(kind, binders, body, names)
            case Ended(end):
                return self._ended(end)
            case Op(args=args) | Inject(args=args):
                return self._strict(expr, args, names)
            case Is(arg=arg) | Field(arg=arg) | Cast(arg=arg):
                return self._strict(expr, (arg,), names)
            case _:
                assert_never(expr)

    def _values(self, exprs: tuple[Expr, ...], names: dict[str, int]) -> list[int] | None:
        """All of them, or nothing if one depends on the deal."""
        found = []
        for expr in exprs:
            value = self._value(expr, names)
            if value is None:
                return None
            found.append(value)
        return found

    def _ended(self, wanted: int) -> Known:
        """The first end that holds decides; before one of which nothing is known, nothing is."""
        for number, end in enumerate(self._ends):
            holds = self._value(end.condition, {})
            if holds is None:
                return None
            if holds:
                return int(wanted in (-1, number))
        return 0

    def _attribute(self, name: str, card: Known) -> Known:
        if card is None or card not in self._faces or self._deck is None:
            return None
        return self._deck.faces[self._faces[card]][self._deck.attribute(name)]

    def _junction(self, op: str, args: tuple[Expr, ...], names: dict[str, int]) -> Known:
        deciding = 0 if op == "and" else 1
        found: Known = 1 - deciding
        for arg in args:
            value = self._value(arg, names)
            if value == deciding:
                return deciding
            if value is None:
                found = None
        return found

    def _quantified(self, kind: Quantifier, binders: tuple[Local, ...], body: Expr, names: dict[str, int]) -> Known:
        values: list[Known] = []
        for choice in product(*(type_values(binder.type) for binder in binders)):
            inner = {**names, **{b.name: v for b, v in zip(binders, choice, strict=True)}}
            value = self._value(body, inner)
            if (kind, value) in (("exists", 1), ("forall", 0)):
                return value
            values.append(value)
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            return self._by_face(kind, binders, body, names)
        return int(QUANTIFIERS[kind].apply(known))

    def _by_face(self, kind: str, binders: tuple[Local, ...], body: Expr, names: dict[str, int]) -> Known:
        """A count of cards from the number of each face, if the body does not tell cards of one face apart."""
        deck = self._deck
        if deck is None or self._faces or len(binders) != 1 or binders[0].type != deck.sort:
            return None
        (card,) = binders
        by_number = any(self._tells_cards_apart(node, card) for node in walk(body))
        many = 0
        for face, copies in enumerate(deck.copies):
            seen = set()
            for which in type_values(deck.sort) if by_number else self._unlike:
                self._faces = {which: face}
                seen.add(self._value(body, {**names, card.name: which}))
                self._faces = {}
                if len(seen) > 1 or None in seen:
                    return None
            many += copies * (seen.pop() or 0)
        return {"count": many, "exists": int(many > 0), "forall": int(many == sum(deck.copies))}.get(kind)

    def _tells_cards_apart(self, node: Expr, card: Local) -> bool:
        """May it depend on more of a card than its face and what maps of cards say of it?"""
        match node:
            case Cast() | Inject() | Ended():
                return True
            case Get(var, index):
                init = self._inits[var]
                return card not in index and any(isinstance(part, Attr) for part in walk(init.value))
        return node.type == card.type and node != card

    @cached_property
    def _unlike(self) -> tuple[int, ...]:
        """One card of each kind that the variables tell apart at the start; all, where they depend on the deal."""
        assert self._deck is not None
        sort = self._deck.sort
        found: dict[tuple[Known, ...], int] = {}
        for card in type_values(sort):
            values: list[Known] = []
            for init in self._inits.values():
                at = [type_values(b.type) if b.type != sort else (card,) for b in init.binders]
                if any(b.type == sort for b in init.binders):
                    values += [
                        self._value(init.value, {b.name: v for b, v in zip(init.binders, choice, strict=True)})
                        for choice in product(*at)
                    ]
            if None in values:
                return tuple(type_values(sort))
            found.setdefault(tuple(values), card)
        return tuple(found.values())

    def _strict(self, expr: Expr, args: tuple[Expr, ...], names: dict[str, int]) -> Known:
        """Operators that need all their arguments; their values are put in place of them."""
        known = self._values(args, names)
        if known is None:
            return None
        match expr:
            case Op("not"):
                return 1 - known[0]
            case Op(op):
                return BINARY[op](*known)
            case Inject(constructor, _, kind):
                return kind.encode(constructor, tuple(known))
            case Is(constructor, arg) if isinstance(arg.type, UnionType):
                return int(arg.type.decode(known[0])[0] == constructor)
            case Field(constructor, place, arg, kind) if isinstance(arg.type, UnionType):
                which, fields = arg.type.decode(known[0])
                return fields[place] if which == constructor else type_first(kind)
            case _:
                return known[0]


# ---- as terms ------------------------------------------------------------------------------------------
def ground_translator(system: System) -> Translator:
    """One that writes counts out, individual by individual."""
    counts = GroundCounts()
    counts.translator = Translator(system, counts)
    return counts.translator


class Initial:
    """The first state, for every deal: what the rules say of each variable."""

    def __init__(self, system: System, translator: Translator) -> None:
        self.system = system
        self.translator = translator
        self._inits = {init.var: init for init in system.inits}

    def read(self, var: str, index: tuple[Term, ...]) -> Term:
        init = self._inits[var]
        names = {binder.name: term for binder, term in zip(init.binders, index, strict=True)}
        return self.translator.expr(init.value, Scene(self, names))


def first_scene(system: System, translator: Translator) -> Scene:
    """The first state, and how the game has ended there, if it has."""
    state = Initial(system, translator)
    return Scene(state, end=Stepper(system, translator).end_term(state, late=True))


def holds_at_start(system: System, expr: Expr, listener: Callable[[str], None] | None = None) -> ProofOutcome:
    """For every deal. Only what depends on the deal is a question for the solver."""
    known = AtStart(system).holds(expr)
    if known is not None:
        return PROVED if known else ProofOutcome(False, "false at the start")
    translator = ground_translator(system)
    found = ask([], translator.expr(expr, first_scene(system, translator)), listener=listener)
    return found if found.proved else ProofOutcome(False, "perhaps false at the start")


def starts_in_type(system: System, var: str, listener: Callable[[str], None] | None = None) -> ProofOutcome:
    """The first value of a variable is of its type."""
    init = next(init for init in system.inits if init.var == var)
    allowed = system.variable(var).type
    values = type_values(allowed)
    low, high = interval(init.value)
    if values.start <= low and high <= values[-1]:
        return PROVED
    translator = ground_translator(system)
    names = {binder.name: z3.Const(f"i{n}", term_sort(binder.type)) for n, binder in enumerate(init.binders)}
    facts = [in_type(names[binder.name], binder.type) for binder in init.binders]
    value = translator.expr(init.value, Scene(Initial(system, translator), names))
    found = ask(facts, in_type(value, allowed), listener=listener)
    return found if found.proved else ProofOutcome(False, "perhaps outside them at the start")
