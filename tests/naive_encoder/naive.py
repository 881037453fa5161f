"""The unrolled rules as clauses a second time, as plainly as can be: nothing of the encoder proper is used.

Every place of the state has a literal for each value of its type at every step, every action with its arguments one at
every step; all else is a gate of those. Nothing is left out because it cannot happen, nothing is merged, nothing is
counted from step to step. A step at fault is none: a place would have no value, or two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from hanabi_formal.kernel.system import Assign, Block, Case, ForEach, Reveal, System
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import Type, UnionType, type_first, type_values
from hanabi_formal.run.interpret import Snapshot

TRUE, FALSE = 1, -1
Number = dict[int, int]
"""For each value a literal that it is the one. At most one of them is true; none where there is no such value."""
State = dict[tuple[str, tuple[int, ...]], Number]
Environment = Mapping[str, int]


class TooLarge(Exception):
    """These rules have so many values that plain clauses are too many."""


class Naive:
    """The clauses can be met exactly if some game is still on after all steps, or has ended with the goal."""

    most_variables = 2_000_000

    def __init__(self, system: System, faces: Sequence[int], start: Snapshot, goal: int) -> None:
        assert not start.end
        self.system = system
        self.faces = faces
        self.goal = goal
        self.variables = 1
        self.clauses: list[list[int]] = [[TRUE]]
        self._gates: dict[tuple[int, ...], int] = {}
        self.live = TRUE
        self.actions: list[dict[Instance, int]] = []
        self.kinds: dict[tuple[str, tuple[int, ...]], Type] = {}
        self.state: State = {}
        self.between: State = {}
        """The state between the parts of the last step."""
        for var in system.variables:
            value = start.values[var.name]
            values = (value,) if isinstance(value, int) else value
            for index, held in zip(product(*(type_values(kind) for kind in var.index)), values, strict=True):
                self.kinds[var.name, index] = var.type
                self.state[var.name, index] = {held: TRUE}

    # ---- gates -----------------------------------------------------------------------------------
    def new(self) -> int:
        if self.variables >= self.most_variables:
            raise TooLarge(f"more than {self.most_variables} variables")
        self.variables += 1
        return self.variables

    def both(self, literals: Iterable[int]) -> int:
        parts = set(literals) - {TRUE}
        if FALSE in parts or any(-part in parts for part in parts):
            return FALSE
        if len(parts) < 2:
            return parts.pop() if parts else TRUE
        key = tuple(sorted(parts))
        if key not in self._gates:
            self._gates[key] = gate = self.new()
            self.clauses += [[-gate, part] for part in key]
            self.clauses.append([gate, *(-part for part in key)])
        return self._gates[key]

    def either(self, literals: Iterable[int]) -> int:
        return -self.both([-literal for literal in literals])

    def add(self, *literals: int) -> None:
        if TRUE not in literals:
            self.clauses.append(sorted({literal for literal in literals if literal != FALSE}))

    def exactly_one(self, literals: Iterable[int], given: int = TRUE) -> None:
        """One after the other, with the literal that one was seen already."""
        seen = FALSE
        for literal in literals:
            self.add(-seen, -literal)
            seen = self.either((seen, literal))
        self.add(-given, seen)

    # ---- expressions -----------------------------------------------------------------------------
    def _gathered(self, pairs: Iterable[tuple[int | None, int]]) -> Number:
        found: dict[int, list[int]] = {}
        for value, literal in pairs:
            if value is not None and literal != FALSE:
                found.setdefault(value, []).append(literal)
        return {value: self.either(literals) for value, literals in found.items()}

    def truth(self, expr: Expr, env: Environment, at: Reading) -> int:
        return self.number(expr, env, at).get(1, FALSE)

    def number(self, expr: Expr, env: Environment, at: Reading) -> Number:
        """What an expression may be, in a state. Of a condition: 1 with its literal, 0 with the negation."""
        key = (id(expr), *(env[name] for name in sorted(locals_in(expr))))
        if key not in at.known:
            at.known[key] = self._number(expr, env, at)
        return at.known[key]

    def _number(self, expr: Expr, env: Environment, at: Reading) -> Number:
        match expr:
            case Lit(value):
                return {value: TRUE}
            case Local(name):
                return {env[name]: TRUE}
            case Ended():
                return {0: TRUE}
            case Get(var, index):
                return self._applied(index, env, at, lambda *place: at.state.get((var, place), {}).items())
            case Attr(name, card):
                assert self.system.deck is not None
                column = self.system.deck.attribute(name)
                shown = [self.system.deck.faces[face][column] for face in self.faces]
                return self._applied((card,), env, at, lambda c: [(shown[c], TRUE)] if 0 <= c < len(shown) else [])
            case Op("and" | "or" | "not" as op, args):
                literals = [self.truth(arg, env, at) for arg in args]
                return both_ways(-literals[0] if op == "not" else (self.both if op == "and" else self.either)(literals))
            case Op(op, args):
                return self._applied(args, env, at, lambda *values: [(COMPUTE[op](*values), TRUE)])
            case Ite(condition, then, otherwise):
                test = self.truth(condition, env, at)
                sides = ((test, then), (-test, otherwise))
                return self._gathered(
                    (v, self.both((side, lit)))
                    for side, part in sides
                    if side != FALSE
                    for v, lit in self.number(part, env, at).items()
                )
            case Quant(kind, binders, body):
                return self._quantified(kind, binders, body, env, at)
            case Inject(constructor, args, union):
                inside = [type_values(kind) for kind in union.constructors[constructor].fields]

                def made(*values: int) -> list[tuple[int, int]]:
                    fits = all(value in known for value, known in zip(values, inside, strict=True))
                    return [(union.encode(constructor, values), TRUE)] if fits else []

                return self._applied(args, env, at, made)
            case Is(constructor, arg):
                tested = arg.type
                assert isinstance(tested, UnionType)
                return self._applied((arg,), env, at, lambda v: [(int(tested.decode(v)[0] == constructor), TRUE)])
            case Field(constructor, place, arg, field_type):
                whole = arg.type
                assert isinstance(whole, UnionType)

                def part(value: int) -> list[tuple[int, int]]:
                    which, fields = whole.decode(value)
                    return [(fields[place] if which == constructor else type_first(field_type), TRUE)]

                return self._applied((arg,), env, at, part)
            case Cast(arg, kind):
                return self._applied((arg,), env, at, lambda v: [(v, TRUE)] if v in type_values(kind) else [])
            case _:
                assert_never(expr)

    def _applied(self, args: Sequence[Expr], env: Environment, at: Reading, function: Any) -> Number:
        """A function of values that may give several, each with a literal."""
        found: list[tuple[int, int]] = []
        for choice in product(*(self.number(arg, env, at).items() for arg in args)):
            here = self.both(literal for _, literal in choice)
            if here != FALSE:
                found += [(int(v), self.both((here, lit))) for v, lit in function(*(v for v, _ in choice))]
        return self._gathered(found)

    def _quantified(self, kind: str, binders: tuple[Local, ...], body: Expr, env: Environment, at: Reading) -> Number:
        parts = []
        for values in product(*(type_values(binder.type) for binder in binders)):
            inner = {**env, **{b.name: v for b, v in zip(binders, values, strict=True)}}
            parts.append(self.number(body, inner, at))
        if kind in ("exists", "forall"):
            literals = [part.get(1, FALSE) for part in parts]
            return both_ways(self.either(literals) if kind == "exists" else self.both(literals))
        together = COMPUTE["add" if kind in ("count", "sum") else kind]
        result = {0: TRUE} if kind in ("count", "sum") else parts.pop(0)
        for part in parts:
            result = self._gathered(
                (together(a, b), self.both((x, y))) for a, x in result.items() for b, y in part.items()
            )
        return result

    # ---- steps -----------------------------------------------------------------------------------
    def step(self) -> None:
        now = Reading(self.state)
        acts: dict[Instance, int] = {}
        for action in self.system.actions:
            for args in product(*(type_values(param.type) for param in action.params)):
                env = {param.name: value for param, value in zip(action.params, args, strict=True)}
                guard = self.both(self.truth(each.condition, env, now) for each in action.guards)
                if guard != FALSE:
                    acts[Instance(action.name, args)] = literal = self.new()
                    self.add(-literal, guard)
                    self.add(-literal, self.live)
        self.actions.append(acts)
        self.exactly_one(acts.values(), self.live)
        self.between = self._part(acts, now, 0)
        between = Reading(self.between)
        goes_on = self._ends(between, self.live, late=False)
        later = {named: self.both((literal, goes_on)) for named, literal in acts.items()}
        self.state = self._part(later, between, 1)
        self.live = self._ends(Reading(self.state), goes_on, late=True)

    def _part(self, acts: Mapping[Instance, int], at: Reading, which: int) -> State:
        """The state after a part of a step: what is written, and all else as it was."""
        written: dict[tuple[str, tuple[int, ...]], list[tuple[int, Number]]] = {}
        for (name, args), literal in acts.items():
            action = self.system.action(name)
            env = {param.name: value for param, value in zip(action.params, args, strict=True)}
            for var, index, condition, value in self._writes((action.first, action.second)[which], env, at, literal):
                if (var, index) in self.kinds:
                    written.setdefault((var, index), []).append((condition, value))
                else:
                    self.add(-condition)
        after = dict(at.state)
        for place, writes in written.items():
            still = -self.either(condition for condition, _ in writes)
            pairs = [(value, self.both((still, literal))) for value, literal in at.state[place].items()]
            pairs += [
                (v, self.both((condition, lit)))
                for condition, value in writes
                for v, lit in value.items()
                if v in type_values(self.kinds[place])
            ]
            after[place] = self._gathered(pairs)
            self.exactly_one(after[place].values())
        return after

    def _writes(
        self, block: Block, env: Environment, at: Reading, condition: int
    ) -> Iterator[tuple[str, tuple[int, ...], int, Number]]:
        if condition == FALSE:
            return
        for statement in block:
            match statement:
                case Assign(var, index, value):
                    places = [self.number(part, env, at) for part in index]
                    for choice in product(*(place.items() for place in places)):
                        here = self.both((condition, *(literal for _, literal in choice)))
                        if here != FALSE:
                            yield var, tuple(v for v, _ in choice), here, self.number(value, env, at)
                    for place in places:  # an index without a value is a fault
                        self.add(-condition, *place.values())
                case Case(branches):
                    left = condition
                    for branch in branches:
                        test = self.truth(branch.condition, env, at)
                        yield from self._writes(branch.block, env, at, self.both((left, test)))
                        left = self.both((left, -test))
                case ForEach(binders, where, inner):
                    for values in product(*(type_values(binder.type) for binder in binders)):
                        bound = {**env, **{b.name: v for b, v in zip(binders, values, strict=True)}}
                        here = self.both((condition, self.truth(where, bound, at)))
                        yield from self._writes(inner, bound, at, here)
                case Reveal():
                    pass

    def reached(self, state: State) -> int:
        """Does some end hold there with the goal?"""
        at = Reading(state)
        return self.either(
            self.both((self.truth(end.condition, {}, at), literal))
            for end in self.system.ends
            for value, literal in self.number(end.score, {}, at).items()
            if value >= self.goal
        )

    def _ends(self, at: Reading, live: int, late: bool) -> int:
        """Is the game still on? An end is there only with the goal."""
        for end in self.system.ends:
            if late or not end.late:
                holds = self.truth(end.condition, {}, at)
                if holds != FALSE:
                    score = self.number(end.score, {}, at)
                    self.add(-live, -holds, *(literal for value, literal in score.items() if value >= self.goal))
                    live = self.both((live, -holds))
        return live


class OneStep(Naive):
    """One step from any state without an end where the game is `on`, or none from any state where it is over."""

    def __init__(self, system: System, faces: Sequence[int], start: Snapshot, goal: int) -> None:
        super().__init__(system, faces, start, goal)
        self.on = self.live = self.new()
        for place, kind in self.kinds.items():
            self.state[place] = {value: self.new() for value in type_values(kind)}
            self.exactly_one(self.state[place].values())
        self.before = dict(self.state)
        for end in system.ends:
            self.add(-self.on, -self.truth(end.condition, {}, Reading(self.before)))
        self.step()


class Reading:
    """A state, and what was read there already."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.known: dict[Any, Number] = {}


def both_ways(literal: int) -> Number:
    return {value: lit for value, lit in ((1, literal), (0, -literal)) if lit != FALSE}


COMPUTE: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "min": min,
    "max": max,
    "eq": lambda a, b: int(a == b),
    "lt": lambda a, b: int(a < b),
    "le": lambda a, b: int(a <= b),
}
