"""A System compiled to Python functions made for it. The source is built from the kernel's tree alone."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import product, repeat
from math import floor
from typing import Any, Protocol

from hanabi_formal.kernel import build
from hanabi_formal.kernel.depends import start_depends_on_deal
from hanabi_formal.kernel.expr import Expr, Op
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import type_first, type_size, type_values
from hanabi_formal.run.compiler import code as py
from hanabi_formal.run.compiler.action_variants import Variant, variants
from hanabi_formal.run.compiler.choices import Choices
from hanabi_formal.run.compiler.code import PyExpr, PyName
from hanabi_formal.run.compiler.functions import DEALT, STATE, Codes, Functions
from hanabi_formal.run.compiler.layout import END, MANY, Listed, Packed, Planes, Scalar, bits_in, plan, strides
from hanabi_formal.run.compiler.lookup_tables import Tables
from hanabi_formal.run.compiler.playout import Playouts
from hanabi_formal.run.compiler.steps import Steps
from hanabi_formal.run.faults import Fault, FaultKind
from hanabi_formal.run.interpret import Interpreter, Snapshot

PackedState = tuple[Any, ...]
Dealt = tuple[Any, ...]
Shape = tuple[int, int | None, int, Any]
"""An action's number but for the place of one individual among the members at a slot, which counts so many times."""


class Playout(Protocol):
    """`note`, if there is one, is told the number of each action."""

    def __call__(
        self,
        dealt: Dealt,
        state: PackedState,
        uniform: Callable[[], float],
        most: int = ...,
        note: Callable[[int], object] | None = None,
        /,
    ) -> PackedState: ...


class Compiled:
    """The fast reading of a System.

    A deal is prepared once (`deal`), then states are plain tuples: `start`, `legal`, `pick`, `step`, `score`, `view`.
    Actions are numbers that mean something only together with a state; `decode` and `encode` translate.
    """

    def __init__(self, system: System) -> None:
        self.system = system
        self.layout = plan(system)
        self.interpreter = Interpreter(system)
        self._bits: dict[str, dict[int, int]] = {}
        self._codes = Codes()
        self._tables = Tables(system)
        self._variants = list(variants(system, self.layout))
        self._by_number = {(variant.number, variant.actor): variant for variant in self._variants}
        self._by_action: dict[tuple[str, int | None], list[Variant]] = {}
        self._shapes: dict[tuple[str, tuple[int, ...], int | None], list[Shape]] = {}
        for variant in self._variants:
            self._by_action.setdefault((variant.action.name, variant.actor), []).append(variant)
        self._functions = Functions(system, self.layout, self._tables, self._codes)
        self._choices = Choices(self._functions)
        self.faults = self._functions.faults
        for variant in self._variants:
            self._codes.reserve(variant)
            if variant.domain is not None:
                self.layout.add_members(variant.domain.var, variant.domain.value)
            self._choices.options_slot(variant)
        self.layout.seal()
        self._turn = self._find_turn()
        self._actor_cell = None if self._turn is None else self.layout.where(self._turn)[0]
        self._usual: dict[PyName, int] = {}
        self._named: dict[int, int] = {}
        self.playout_source = ""
        self.slow_steps = 0
        self._bind()

    def _find_turn(self) -> PyName | None:
        """The slot that says whose turn it is, if variants are taken apart by actors."""
        if self.system.actor is None or all(variant.actor is None for variant in self._variants):
            return None
        kept = self.layout.kept[self.system.actor]
        assert isinstance(kept, Scalar)
        return kept.slot

    def _groups(self) -> dict[int, list[Variant]]:
        """The variants of each actor; all in one group if they are not taken apart by actors."""
        if self._turn is None or self.system.actor is None:
            return {0: self._variants}
        actors = type_values(self.system.variable(self.system.actor).type)
        return {actor: [variant for variant in self._variants if variant.actor == actor] for actor in actors}

    # ---- source --------------------------------------------------------------------------------
    def _bind(self) -> None:
        fixed = not start_depends_on_deal(self.system)
        initial = self._initial() if fixed else {}
        self.source = py.source(self._made(initial))
        scope = self._scope()
        exec(compile(self.source, "<compiled>", "exec"), scope)
        scope["STEP"] = self._steps_by_actor_and_code(scope)
        scope["ARG"] = [i for width in self._codes.width.values() for i in range(width)]
        self._constants = scope
        self.deal: Callable[[Sequence[int]], Dealt] = scope["deal"]
        self.start: Callable[[Dealt], PackedState] = scope["start"] if fixed else self._start_slowly
        self.legal: Callable[[Dealt, PackedState], Sequence[int]] = scope["legal"]
        self.pick: Callable[[Dealt, PackedState, float], int] = scope["pick"]
        self.step: Callable[[Dealt, PackedState, int], PackedState] = scope["step"]
        self.score: Callable[[Dealt, PackedState], int] = scope["score"]
        self.view: Callable[[Dealt, PackedState, int], tuple[tuple[int, tuple[int, ...], int], ...]] = scope["view"]
        self._rated: Callable[[Dealt, PackedState], Any] | None = scope.get("rated")

    def _made(self, initial: dict[PyName, Any]) -> list[py.PyStatement]:
        """All functions but the playout. `initial` is the first state, or empty if it depends on the deal."""
        functions, steps = self._functions, Steps(self._functions)
        made: list[py.PyStatement] = self._choices.legal(self._whose(), self._groups())
        for number, variant in enumerate(self._variants):
            made.append(steps.step(number, variant))
            if initial and variant.domain is not None and steps.can_name_members(variant):
                members = self.layout.planes(variant.domain.var).members[variant.domain.value]
                many = len(initial[members])
                if 0 < many <= MANY:
                    self._named[number] = self._usual[members] = many
                    made += [steps.step_at(number, variant, place, many) for place in range(many)]
        made += [functions.score(), functions.view(), self._dispatch()]
        if self.system.bands is not None:
            made.append(functions.condition("rated", self.system.bands.condition))
        if initial:
            made.append(functions.start(initial))
        return [*made, functions.deal()]

    def _scope(self) -> dict[str, Any]:
        """What generated functions find beside themselves."""
        sizes = [kept.size for kept in self.layout.kept.values() if isinstance(kept, Planes)]
        sizes += [self.system.deck.sort.size] if self.system.deck else []
        return {
            "BITS": tuple(1 << i for i in range(max(sizes, default=0))),
            "within": _within,
            "without": _without,
            "including": _including,
            "fault": self._fault,
            "slowly": self._slowly,
            **self._tables.constants,
        }

    def _steps_by_actor_and_code(self, scope: dict[str, Any]) -> list[list[Callable[..., PackedState] | None]]:
        found: list[list[Callable[..., PackedState] | None]]
        found = [[None] * self._codes.total for _ in range(max(self._groups()) + 1)]
        for number, variant in enumerate(self._variants):
            steps, base = found[variant.actor or 0], self._codes.base[variant.number]
            width = self._codes.width[variant.number]
            steps[base : base + width] = [scope[PyName("step", number)]] * width
            for place in range(self._named.get(number, 0)):
                steps[base + place] = scope[PyName("step", number, place)]
        return found

    @cached_property
    def playout(self) -> Playout:
        """A function from a state to that after playing on at random: to the end, to where nothing is legal, or so far.

        The same as to `step` with what `pick` gives for `uniform()`, again and again, but with no states in between.
        It is made when it is first asked for: it is as long as all the steps together, and not every game is for it.
        """
        many = len(self._tables.dealt)
        playouts = Playouts(self._functions, self._choices, self._variants, self._usual)
        self.playout_source = py.source([playouts.playout(self._turn, self._groups())])
        assert len(self._tables.dealt) == many, "a playout asks for no more than steps do"
        scope = {**self._constants, **self._tables.constants, "insort": insort, "repeat": repeat, "floor": floor}
        exec(compile(self.playout_source, "<playout>", "exec"), scope)
        found: Playout = scope["playout"]
        return found

    def _whose(self) -> PyExpr:
        """Whose steps and choices are to be looked at."""
        return 0 if self._actor_cell is None else py.subscript(STATE, self._actor_cell)

    def _dispatch(self) -> py.PyStatement:
        code = PyName("code")
        chosen = py.subscript(PyName("STEP"), self._whose(), code)
        step = py.Apply(chosen, (DEALT, STATE, py.subscript(PyName("ARG"), code)))
        return py.FunctionDef(PyName("step"), (DEALT, STATE, code), [py.gives(step)])

    def _fault(self, number: int) -> None:
        raise Fault(*self.faults[number].args)

    def _slowly(self, dealt: Dealt, state: PackedState, rest: int, number: int) -> PackedState:
        """A step by the interpreter, for what the compiled one leaves out. `rest` counts from the variant's base."""
        self.slow_steps += 1
        instance = self.decode(state, self._codes.base[self._variants[number].number] + rest)
        step = self.interpreter.step(self.snapshot(state), tuple(dealt[0]), instance)
        return self.pack(step.after, dealt)

    @property
    def cards(self) -> tuple[int, ...]:
        """The faces of all cards, in order."""
        deck = self.system.deck
        return tuple(face for face, many in enumerate(deck.copies) for _ in range(many)) if deck else ()

    def _initial(self) -> dict[PyName, Any]:
        return self._slots_of(Snapshot(self.interpreter.start(self.cards).values))

    def _start_slowly(self, dealt: Dealt) -> PackedState:
        return self.pack(self.interpreter.start(tuple(dealt[0])), dealt)

    # ---- actions -------------------------------------------------------------------------------
    def decode(self, state: PackedState, code: int) -> Instance:
        """The action that a number stands for in a state."""
        number = max((n for n in self._codes.base if self._codes.base[n] <= code), key=self._codes.base.__getitem__)
        variant = self._by_number[number, None if self._actor_cell is None else state[self._actor_cell]]
        rest = code - self._codes.base[number]
        free: dict[str, int] = {}
        for param in reversed(variant.free):
            rest, digit = divmod(rest, type_size(param.type))
            free[param.name] = digit + type_first(param.type)
        if variant.domain is not None:
            kept = self.layout.planes(variant.domain.var)
            free[variant.domain.param.name] = self.layout.read(kept.members[variant.domain.value], state)[rest]
        args = tuple(
            free[param.name] if value is None else value
            for param, value in zip(variant.action.params, variant.fixed, strict=True)
        )
        return Instance(variant.action.name, args)

    def encode(self, dealt: Dealt, state: PackedState, instance: Instance) -> int | None:
        """The number of a legal action, or None if it is not legal now."""
        actor = None if self._actor_cell is None else state[self._actor_cell]
        key = (instance.name, instance.args, actor)
        if key not in self._shapes:
            variants = self._by_action.get((instance.name, actor), ())
            found = (self._shape(variant, instance.args) for variant in variants)
            self._shapes[key] = [shape for shape in found if shape is not None]
        legal = self.legal(dealt, state)
        for code, member, stride, slot in self._shapes[key]:
            if slot is not None:
                members = self.layout.read(slot, state)
                if member not in members:
                    continue
                code += members.index(member) * stride
            if code in legal:
                return code
        return None

    def _shape(self, variant: Variant, args: tuple[int, ...]) -> Shape | None:
        """How these arguments are numbered, if the variant has them."""
        params = variant.action.params
        if len(args) != len(params) or any(v not in type_values(p.type) for p, v in zip(params, args, strict=True)):
            return None
        rest, member, stride = 0, None, 1
        for param, known, value in zip(params, variant.fixed, args, strict=True):
            if known is not None:
                if known != value:
                    return None
            elif variant.domain is not None and param.name == variant.domain.param.name:
                member = value
            else:
                stride *= type_size(param.type)
                rest = rest * type_size(param.type) + value - type_first(param.type)
        slot = None
        if variant.domain is not None:
            slot = self.layout.planes(variant.domain.var).members[variant.domain.value]
        return self._codes.base[variant.number] + rest, member, stride, slot

    # ---- states --------------------------------------------------------------------------------
    def ended(self, state: PackedState) -> int:
        """0, or 1 + the number of the end."""
        end: int = state[-1]
        return end

    def bands(self, dealt: Dealt, state: PackedState) -> tuple[str, ...]:
        """The texts of the bands that an ended game's score lies in."""
        bands = self.system.bands
        if bands is None or self._rated is None or not state[-1] or not self._rated(dealt, state):
            return ()
        score = self.score(dealt, state)
        return tuple(band.text for band in bands.bands if band.low <= score <= band.high)

    def predicate(self, expr: Expr) -> Callable[[Dealt, PackedState], Any]:
        """A condition on states as a function."""
        functions = Functions(self.system, self.layout, self._tables, self._codes)
        many = len(self._tables.dealt)
        made = functions.condition("predicate", expr)
        more = list(self._tables.dealt)[many:]
        self._tables.forget(many)
        scope = {**self._constants, **self._tables.constants}
        exec(compile(py.source([made]), "<predicate>", "exec"), scope)
        found: Callable[[Dealt, PackedState], Any] = scope["predicate"]
        return _with_tables(found, more) if more else found

    def measure(self, expr: Expr) -> Callable[[Dealt, PackedState], int]:
        """A number that depends on the state, as a function; of a predicate it is only known whether it is 0."""
        return self.predicate(Op("add", (expr, build.number(0)), expr.type))

    def snapshot(self, state: PackedState) -> Snapshot:
        """The state spelt out."""
        at = {slot: self.layout.read(slot, state) for slot in self.layout.slots}
        values: dict[str, int | tuple[int, ...]] = {}
        for variable in self.system.variables:
            kept = self.layout.kept[variable.name]
            match kept:
                case Scalar(slot) | Listed(slot):
                    values[variable.name] = at[slot]
                case Planes() | Packed():
                    places = self._places(variable.name, kept)
                    spelt = [kept.first] * len(places)
                    for value, slot in enumerate(kept.slots[1:], kept.first + 1):
                        for bit in bits_in(at[slot]):
                            spelt[places[bit]] = value
                    values[variable.name] = tuple(spelt)
        return Snapshot(values, state[-1])

    def _places(self, name: str, kept: Planes | Packed) -> range | dict[int, int]:
        """The bit of each place of a map spelt out, in order, with the place."""
        if isinstance(kept, Planes):
            return range(kept.size)
        if name not in self._bits:
            kinds = self.system.variable(name).index
            steps = strides(kinds, kept.big)
            ranges = [type_values(kind) for kind in kinds]
            self._bits[name] = {
                sum((v - r.start) * step for v, r, step in zip(index, ranges, steps, strict=True)) * kept.size
                + index[kept.big]: place
                for place, index in enumerate(product(*ranges))
            }
        return self._bits[name]

    def _slots_of(self, snapshot: Snapshot) -> dict[PyName, Any]:
        """The values of all slots but the options, which depend on the deal."""
        found: dict[PyName, Any] = dict.fromkeys(self.layout.slots, 0)
        for variable in self.system.variables:
            kept, value = self.layout.kept[variable.name], snapshot.values[variable.name]
            match kept:
                case Scalar(slot) | Listed(slot):
                    found[slot] = value
                case Planes() | Packed():
                    assert isinstance(value, tuple)
                    for bit, v in zip(self._places(variable.name, kept), value, strict=True):
                        slot = kept.slots[v - kept.first]
                        if slot in found:  # the first value of a relation is not kept
                            found[slot] |= 1 << bit
                    for v, slot in kept.members.items() if isinstance(kept, Planes) else ():
                        found[slot] = tuple(i for i, held in enumerate(value) if held - kept.first == v)
        found[END] = snapshot.end
        return found

    def pack(self, snapshot: Snapshot, dealt: Dealt) -> PackedState:
        """A state from one spelt out."""
        found = self._slots_of(snapshot)
        for kept, value, options in self.layout.all_options():
            mask = 0
            for card in found[kept.members[value]]:
                mask |= self._constants[options.of_face][dealt[0][card]]
            found[options.slot] = self._constants[options.lists][mask]
        return self.layout.build(found)


def _with_tables(
    predicate: Callable[[Dealt, PackedState], Any], more: list[tuple[frozenset[int], ...]]
) -> Callable[[Dealt, PackedState], Any]:
    """A predicate that needs tables which deals of this game come without; they are made once for each deal."""
    last: list[Dealt] = [(), ()]

    def asked(dealt: Dealt, state: PackedState) -> Any:
        if dealt is not last[0]:
            faces = dealt[0]
            rows = [tuple(sum(1 << i for i, f in enumerate(faces) if f in row) for row in table) for table in more]
            last[:] = [dealt, (*dealt, *rows)]
        return predicate(last[1], state)

    return asked


def _within(value: int, low: int, high: int) -> int:
    if not low <= value <= high:
        raise Fault(FaultKind.NOT_THERE, f"{value} stands where only {low} to {high} can")
    return value


def _without(members: tuple[int, ...], one: int) -> tuple[int, ...]:
    return tuple(member for member in members if member != one)


def _including(members: tuple[int, ...], one: int) -> tuple[int, ...]:
    return tuple(sorted((*members, one)))
