"""The steps of a compiled game: one function for each variant of an action."""

from __future__ import annotations

from dataclasses import replace

from hanabi_formal.kernel.build import negate
from hanabi_formal.kernel.expr import Lit
from hanabi_formal.kernel.types import type_first, type_size
from hanabi_formal.run.compiler import code as py
from hanabi_formal.run.compiler.action_variants import Variant
from hanabi_formal.run.compiler.assignments import Lines, StepOf
from hanabi_formal.run.compiler.blocks import BlockEmitter
from hanabi_formal.run.compiler.code import PyName
from hanabi_formal.run.compiler.emit import Emitter
from hanabi_formal.run.compiler.functions import DEALT, STATE, Functions, looked_up
from hanabi_formal.run.compiler.layout import END, Planes
from hanabi_formal.run.compiler.writes import always_assigns, in_loop, writes_to

ACTION, POSITION, CARD, ARRIVED = PyName("k"), PyName("j"), PyName("c"), PyName("n")


class Steps:
    """A step takes the state apart, does both parts with the ends after each, and makes the next state."""

    def __init__(self, functions: Functions, blocks: type[BlockEmitter] = BlockEmitter) -> None:
        self.functions = functions
        self.layout = functions.layout
        self.blocks = blocks

    def step(self, number: int, variant: Variant) -> py.FunctionDef:
        emitter = self.functions.emitter()
        body, written = self.body(number, variant, emitter, {})
        return self.functions.stepping(PyName("step", number), emitter, body, written)

    def body(
        self, number: int, variant: Variant, emitter: Emitter, usual: dict[PyName, int]
    ) -> tuple[Lines, set[PyName]]:
        """A step whose number, counted from the variant's base, is in `k`; also the slots it writes.

        `usual` says how many members there mostly are.
        """
        whole = PyName("i") if variant.free else ACTION
        body = self._arguments(variant, emitter)
        step = StepOf(number, whole, variant.domain, POSITION if variant.free else ACTION)
        done, slots, dirty = self._parts(variant, emitter, step)
        if variant.free and py.uses(done)[PyName("slowly")]:
            body.insert(0, py.Store(whole, ACTION))
        body += done
        for var, value in sorted(dirty):
            kept = self.layout.planes(var)
            members = kept.members[value]
            lines = option_lines(kept, value, emitter)
            if usual.get(members):
                names = _member_names(usual[members])
                few = [py.Store(py.display(names), members), *option_lines(kept, value, emitter, names)]
                lines = [py.Branching(((py.infix("==", py.apply("len", members), len(names)), few),), lines)]
            body += lines
            slots |= option_slots(kept, value)
        return body, slots

    def _parts(
        self, variant: Variant, emitter: Emitter, step: StepOf
    ) -> tuple[Lines, set[PyName], set[tuple[str, int]]]:
        """Both parts of a step with the ends after each, the slots it writes, and the values with new members."""
        functions = self.functions
        running = [negate(end.condition) for end in functions.system.ends]
        early = [negate(end.condition) for end in functions.system.ends if not end.late]
        first = self.blocks(emitter, functions.faults, step)
        one = first.part(
            variant.first, [*variant.facts, *running], lambda now: functions.ends(emitter, False, now, set())
        )
        since = first.written | first.rare
        second = self.blocks(emitter, functions.faults, replace(step, position=None))
        other = second.part(variant.second, early, lambda now: functions.ends(emitter, True, now, since))
        return one.followed_by(other.followed_by([])), since | second.written | {END}, first.dirty | second.dirty

    def step_at(self, number: int, variant: Variant, place: int, many: int) -> py.FunctionDef:
        """The step for the member at one place among the usual number of members; others go the general way.

        Members are then names instead of a tuple to cut, which saves a fifth of the time of such a step.
        """
        domain = variant.domain
        assert domain is not None
        emitter = self.functions.emitter()
        kept = self.layout.planes(domain.var)
        slot = kept.members[domain.value]
        names = _member_names(many)
        general = py.gives(py.Apply(PyName("step", number), (DEALT, STATE, place)))
        emitter.names[domain.param.name] = names[place]
        done, slots, dirty = self._parts(variant, emitter, StepOf(number, place, domain, ACTION, ARRIVED))
        left = [name for name in names if name != names[place]]

        def now(members: list[PyName]) -> Lines:
            return [py.Store(slot, py.display(members)), *option_lines(kept, domain.value, emitter, members)]

        body: Lines = [
            py.branch(py.infix("!=", py.apply("len", slot), many), general),
            py.Store(py.display(names), slot),
            py.Store(ARRIVED, -1),
            *done,
            py.Branching(
                (
                    (py.infix(">", ARRIVED, left[-1] if left else -1), now([*left, ARRIVED])),
                    (py.infix("<", ARRIVED, 0), now(left)),
                ),
                [general] if left else [],
            ),
        ]
        slots |= option_slots(kept, domain.value) | {slot}
        for var, value in sorted(dirty):
            body += option_lines(self.layout.planes(var), value, emitter)
            slots |= option_slots(self.layout.planes(var), value)
        return self.functions.stepping(PyName("step", number, place), emitter, body, slots)

    def can_name_members(self, variant: Variant) -> bool:
        """Does the member always leave, and at most one come, so that `step_at` can be used?"""
        domain = variant.domain
        if domain is None or variant.free or in_loop(variant.first, domain.var) or in_loop(variant.second, domain.var):
            return False
        writes = writes_to(domain.var, variant.first, variant.second)
        leaving = [assign for assign in writes if assign.index == (domain.param,)]
        coming = len(writes) - len(leaving)
        if coming and domain.value == 0:
            # Whoever comes is taken from the first value, and would have to leave the members too.
            return False
        first = self.layout.planes(domain.var).first
        away = all(isinstance(a.value, Lit) and a.value.value - first != domain.value for a in leaving)
        return away and coming <= 1 and always_assigns(variant.first, domain.var, domain.param)

    def _arguments(self, variant: Variant, emitter: Emitter) -> Lines:
        """Take the action's number apart: `k` counts from the variant's base."""
        lines: Lines = []
        position = ACTION
        for param in reversed(variant.free if variant.domain is not None else variant.free[1:]):
            name = emitter.bind(param)
            lines.append(py.Store(py.display([ACTION, name]), py.apply("divmod", ACTION, type_size(param.type))))
            lines += _counted_from(name, type_first(param.type))
        if variant.free and variant.domain is None:
            emitter.names[variant.free[0].name] = ACTION
            lines += _counted_from(ACTION, type_first(variant.free[0].type))
        if variant.free and variant.domain is not None:
            position = POSITION
            lines.append(py.Store(POSITION, ACTION))
        if variant.domain is not None:
            members = emitter.slot(self.layout.add_members(variant.domain.var, variant.domain.value))
            emitter.names[variant.domain.param.name] = CARD
            lines.append(py.Store(CARD, py.subscript(members, position)))
        return lines


def _counted_from(name: PyName, start: int) -> Lines:
    return [py.InPlaceStore(name, "+", start)] if start else []


def _member_names(many: int) -> list[PyName]:
    return [PyName("a", i) for i in range(many)]


def option_lines(kept: Planes, value: int, emitter: Emitter, members: list[PyName] | None = None) -> Lines:
    """What works out the options of a value from its members, named one by one where they are known."""
    lines: Lines = []
    for options in kept.options.get(value, []):
        faces = emitter.table(0)
        if members is None:
            mask, member = PyName("y"), PyName("x")
            add: py.PyStatement = py.InPlaceStore(mask, "|", py.subscript(options.of_face, py.subscript(faces, member)))
            lines += [py.Store(mask, 0), py.ForIn(member, kept.members[value], [add])]
            lines.append(py.Store(options.slot, py.subscript(options.lists, mask)))
        else:
            lines.append(py.Store(options.slot, looked_up(options, faces, members)))
    return lines


def option_slots(kept: Planes, value: int) -> set[PyName]:
    return {options.slot for options in kept.options.get(value, [])}
