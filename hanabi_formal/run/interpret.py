"""The plain reading of a System: one expression at a time, as the definition says. Slow, and the judge of the fast one.

It also explains: every write comes with its old value, its new one and the clause behind it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import assert_never

from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import Action, Assign, Block, Case, Clauses, ForEach, Guard, Reveal
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import type_values
from hanabi_formal.run.faults import Fault, FaultKind, IllegalAction
from hanabi_formal.run.readings import Readings, Valuation, Values, place_in

Arguments = tuple[int, ...]


@dataclass(frozen=True)
class Snapshot:
    """A state spelt out: a number for each scalar, a tuple for each map; `end` is 0 or 1 + the end's number."""

    values: Values
    end: int = 0


@dataclass(frozen=True)
class Change:
    """One place of one variable that a step gave another value."""

    var: str
    index: tuple[int, ...]
    old: int
    new: int
    clauses: Clauses


@dataclass(frozen=True)
class Fact:
    """An expression's value for given values of its bound names, as a seat sees it.

    Of what is revealed in a loop the names of the loop are among them, the outermost first.
    """

    expr: Expr
    binding: tuple[int, ...]
    value: int


@dataclass(frozen=True)
class Step:
    """What an action did: the state after it, the changes, the labelled cases taken, and who learnt what."""

    after: Snapshot
    changes: tuple[Change, ...]
    labels: tuple[str, ...]
    revealed: tuple[tuple[int | None, Fact], ...]


class Interpreter(Readings):
    """States and steps, by evaluating whatever the rules say of them."""

    # ---- states --------------------------------------------------------------------------------
    def scene(self, snapshot: Snapshot, faces: tuple[int, ...]) -> Valuation:
        return Valuation(snapshot.values, faces, snapshot.end)

    def across(self, before: Snapshot, after: Snapshot, faces: tuple[int, ...]) -> Valuation:
        """A step, for conditions that speak of both its states."""
        return Valuation(before.values, faces, before.end, after=after.values, end_after=after.end)

    def start(self, faces: tuple[int, ...]) -> Snapshot:
        values: dict[str, int | tuple[int, ...]] = {}
        for init in self.system.inits:
            scene = Valuation({}, faces)
            found = [self.evaluate(init.value, scene) for _ in self.bindings(init.binders, scene)]
            variable = self.variables[init.var]
            for value in found:
                if value not in type_values(variable.type):
                    message = f"`{init.var}` is {variable.type.name}, and starts as {value}"
                    raise Fault(FaultKind.OUT_OF_BOUNDS, message, variable.span, init.var)
            values[init.var] = tuple(found) if init.binders else found[0]
        return Snapshot(values, self._end(values, faces, late=True))

    def _end(self, values: Values, faces: tuple[int, ...], late: bool) -> int:
        scene = Valuation(values, faces)
        for number, end in enumerate(self.system.ends, 1):
            if (late or not end.late) and self.evaluate(end.condition, scene):
                return number
        return 0

    def arguments(self, action: Action) -> Iterator[Arguments]:
        return product(*(type_values(param.type) for param in action.params))

    def failing_guard(
        self, snapshot: Snapshot, faces: tuple[int, ...], action: Action, args: Arguments
    ) -> Guard | None:
        """The first guard that refuses, if one does."""
        scene = self.scene(snapshot, faces)
        scene.locals.update((param.name, value) for param, value in zip(action.params, args, strict=True))
        return next((guard for guard in action.guards if not self.evaluate(guard.condition, scene)), None)

    def legal(self, snapshot: Snapshot, faces: tuple[int, ...]) -> list[Instance]:
        if snapshot.end:
            return []
        return [
            Instance(action.name, args)
            for action in self.system.actions
            for args in self.arguments(action)
            if self.failing_guard(snapshot, faces, action, args) is None
        ]

    def score(self, snapshot: Snapshot, faces: tuple[int, ...]) -> int:
        expr = self.system.ends[snapshot.end - 1].score if snapshot.end else self.system.score
        return self.evaluate(expr, self.scene(snapshot, faces))

    def view(self, snapshot: Snapshot, faces: tuple[int, ...], seat: int) -> tuple[Fact, ...]:
        """Everything the seat sees, in the order of the view."""
        view = self.system.view
        if view is None:
            return ()
        scene = self.scene(snapshot, faces)
        scene.locals[view.seat.name] = seat
        found = []
        for sight in view.sights:
            for binding in self.bindings(sight.binders, scene):
                if self.evaluate(sight.where, scene):
                    found += [Fact(fact, binding, self.evaluate(fact, scene)) for fact in sight.facts]
        return tuple(found)

    # ---- steps ---------------------------------------------------------------------------------
    def _known(self, name: str, args: Arguments) -> Action:
        """The action, if there is one that can have such arguments."""
        action = next((action for action in self.system.actions if action.name == name), None)
        if action is None:
            raise IllegalAction(f"there is no action `{name}`")
        kinds = [param.type for param in action.params]
        if len(args) != len(kinds) or any(v not in type_values(kind) for v, kind in zip(args, kinds, strict=True)):
            raise IllegalAction(f"`{name}` does not take {args}")
        return action

    def step(self, snapshot: Snapshot, faces: tuple[int, ...], taken: Instance) -> Step:
        name, args = taken
        action = self._known(name, args)
        if snapshot.end:
            raise IllegalAction(f"the game has ended by `{self.system.ends[snapshot.end - 1].name}`")
        guard = self.failing_guard(snapshot, faces, action, args)
        if guard is not None:
            clauses = " ".join(f"@{clause}" for clause in guard.clauses)
            raise IllegalAction(f"`{name}` is refused by its guard `{guard.label or '?'}` {clauses}".rstrip())
        run = _Run(self, faces, dict(zip((param.name for param in action.params), args, strict=True)))
        values = run.part(snapshot.values, action.first)
        end = self._end(values, faces, late=False)
        if not end:
            values = run.part(values, action.second)
            end = self._end(values, faces, late=True)
        return Step(Snapshot(values, end), tuple(run.changes), tuple(run.labels), tuple(run.revealed))


_Writes = dict[tuple[str, tuple[int, ...]], tuple[int, Clauses]]


class _Run:
    """One step under way."""

    def __init__(self, interpreter: Interpreter, faces: tuple[int, ...], args: dict[str, int]) -> None:
        self.interpreter = interpreter
        self.faces = faces
        self.args = args
        self.changes: list[Change] = []
        self.labels: list[str] = []
        self.revealed: list[tuple[int | None, Fact]] = []

    def part(self, values: Values, block: Block) -> Values:
        """All writes of a block at once, on the state before it."""
        scene = Valuation(values, self.faces, locals=dict(self.args))
        writes: _Writes = {}
        self._block(block, scene, writes, ())
        after = dict(values)
        for (var, index), (value, clauses) in writes.items():
            old = after[var]
            if isinstance(old, int):
                was, after[var] = old, value
            else:
                at = place_in(self.interpreter.shapes[var], index)
                was = old[at]
                after[var] = (*old[:at], value, *old[at + 1 :])
            if was != value:
                self.changes.append(Change(var, index, was, value, clauses))
        return after

    def _block(self, block: Block, scene: Valuation, writes: _Writes, looped: tuple[int, ...]) -> None:
        evaluate = self.interpreter.evaluate
        for statement in block:
            match statement:
                case Assign(var, index, value, clauses, span):
                    where = tuple(evaluate(part, scene) for part in index)
                    place_in(self.interpreter.shapes[var], where)
                    if (var, where) in writes:
                        raise Fault(FaultKind.WRITTEN_TWICE, f"`{var}` is updated twice at {where}", span, var)
                    new = evaluate(value, scene)
                    kind = self.interpreter.variables[var].type
                    if new not in type_values(kind):
                        message = f"`{var}` is {kind.name}, and becomes {new}"
                        raise Fault(FaultKind.OUT_OF_BOUNDS, message, span, var)
                    writes[var, where] = (new, clauses)
                case Case(branches):
                    taken = next((b for b in branches if evaluate(b.condition, scene)), None)
                    if taken is not None:
                        if taken.label:
                            self.labels.append(taken.label)
                        self._block(taken.block, scene, writes, looped)
                case ForEach(binders, where_, inner):
                    for values in self.interpreter.bindings(binders, scene):
                        if evaluate(where_, scene):
                            self._block(inner, scene, writes, (*looped, *values))
                case Reveal():
                    self._reveal(statement, scene, looped)
                case _:
                    assert_never(statement)

    def _reveal(self, node: Reveal, scene: Valuation, looped: tuple[int, ...]) -> None:
        evaluate = self.interpreter.evaluate
        for own in self.interpreter.bindings(node.binders, scene):
            if not evaluate(node.where, scene):
                continue
            binding = (*looped, *own)
            for (seat,) in self.interpreter.bindings((node.seat,), scene) if node.seat is not None else ((None,),):
                if seat is None or evaluate(node.allowed, scene):
                    self.revealed += [(seat, Fact(f, binding, evaluate(f, scene))) for f in node.facts]
