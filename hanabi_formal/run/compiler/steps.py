"""The steps of a compiled game as Python source: one function for each variant of an action."""

from __future__ import annotations

from hanabi_formal.kernel.build import TRUE, negate
from hanabi_formal.kernel.expr import Expr, Lit
from hanabi_formal.kernel.system import Assign, Block, Case, ForEach, assignments
from hanabi_formal.kernel.types import type_first, type_size
from hanabi_formal.run.compiler.action_variants import Variant
from hanabi_formal.run.compiler.assignments import Deferred, Held
from hanabi_formal.run.compiler.blocks import BlockEmitter
from hanabi_formal.run.compiler.emit import Emitter
from hanabi_formal.run.compiler.functions import Functions
from hanabi_formal.run.compiler.layout import Planes


class Steps:
    """A step takes the state apart, does both parts with the ends after each, and makes the next state."""

    def __init__(self, functions: Functions, blocks: type[BlockEmitter] = BlockEmitter) -> None:
        self.functions = functions
        self.blocks = blocks

    def step(self, number: int, variant: Variant) -> list[str]:
        emitter = self.functions.emitter()
        body, written = self.body(number, variant, emitter, {})
        return self.functions.stepping(f"step_{number}(D, s, k)", emitter, body, written)

    def body(
        self, number: int, variant: Variant, emitter: Emitter, usual: dict[str, int]
    ) -> tuple[list[str], set[str]]:
        """Source of a step whose number, counted from the variant's base, is in `k`; also the slots it writes.

        `usual` says how many members there mostly are.
        """
        body = self._arguments(variant, emitter)
        held = None
        if variant.domain is not None:
            position = "k" if not variant.free else "j"
            held = Held(variant.domain.var, variant.domain.param, variant.domain.value, position)
        parts, written, dirty = self._parts(number, variant, emitter, held, None, "i" if variant.free else "k")
        if variant.free and any("slowly(" in line for line in parts):
            body.insert(0, "    i = k")
        body += parts
        for var, value in sorted(dirty):
            kept = self._planes(var)
            many = usual.get(kept.members[value])
            lines, slots = option_lines(kept, value, emitter)
            if many:
                names = [f"a{i}" for i in range(many)]
                few, _ = option_lines(kept, value, emitter, names, 2)
                members = kept.members[value]
                head = [f"    if len({members}) == {many}:", f"        {', '.join(names)}, = {members}"]
                lines = [*head, *few, "    else:", *(f"    {line}" for line in lines)]
            body += lines
            written |= slots
        return body, written

    def _parts(
        self, number: int, variant: Variant, emitter: Emitter, held: Held | None, deferred: Deferred | None, code: str
    ) -> tuple[list[str], set[str], set[tuple[str, int]]]:
        """Both parts of a step with the ends after each; also the slots written and the values with new members."""
        running = [negate(end.condition) for end in self.functions.system.ends]
        functions = self.functions
        first = self.blocks(emitter, functions.faults, number, code)
        first.deferred = deferred
        facts = [*variant.facts, *running]
        going_on = first.part(variant.first, 1, facts, held, lambda now: functions.ends(emitter, False, now, set()))
        second = self.blocks(emitter, functions.faults, number, code)
        second.deferred = deferred
        early = [negate(end.condition) for end in functions.system.ends if not end.late]
        since = first.written | first.rare
        second.part(
            variant.second, 2 if going_on else 1, early, None, lambda now: functions.ends(emitter, True, now, since)
        )
        head = [f"    {going_on}"] if going_on and second.lines else []
        return [*first.lines, *head, *second.lines], since | second.written | {"end"}, first.dirty | second.dirty

    def step_at(self, number: int, variant: Variant, place: int, many: int) -> list[str]:
        """The step for the member at one place among the usual number of members; others go the general way.

        Members are then names instead of a tuple to cut, which saves a fifth of the time of such a step.
        """
        domain = variant.domain
        assert domain is not None
        emitter = self.functions.emitter()
        kept = self._planes(domain.var)
        slot = kept.members[domain.value]
        names = [f"a{i}" for i in range(many)]
        general = f"return step_{number}(D, s, {place})"
        emitter.names[domain.param.name] = names[place]
        body = [f"    if len({slot}) != {many}: {general}", f"    {', '.join(names)}, = {slot}", "    n = -1"]
        held = Held(domain.var, domain.param, domain.value, "k")
        deferred = Deferred(domain.var, domain.value, "n")
        parts, written, dirty = self._parts(number, variant, emitter, held, deferred, str(place))
        body += parts
        left = [name for name in names if name != names[place]]
        body += [f"    if n > {left[-1] if left else -1}:", f"        {slot} = ({', '.join([*left, 'n'])},)"]
        lines, slots = option_lines(kept, domain.value, emitter, [*left, "n"], 2)
        body += lines
        body += ["    elif n < 0:", f"        {slot} = ({', '.join(left)},)" if left else f"        {slot} = ()"]
        lines, _ = option_lines(kept, domain.value, emitter, left, 2)
        body += lines
        if left:
            body += [f"    else: {general}"]
        written |= slots | {slot}
        for var, value in sorted(dirty):
            lines, slots = option_lines(self._planes(var), value, emitter)
            body += lines
            written |= slots
        return self.functions.stepping(f"step_{number}_{place}(D, s, k)", emitter, body, written)

    def can_name_members(self, variant: Variant) -> bool:
        """Does the member always leave, and at most one come, so that `step_at` can be used?"""
        domain = variant.domain
        if domain is None or variant.free or in_loop(variant.first, domain.var) or in_loop(variant.second, domain.var):
            return False
        coming = [
            assign
            for block in (variant.first, variant.second)
            for assign in assignments(block)
            if assign.var == domain.var and assign.index != (domain.param,)
        ]
        if coming and domain.value == 0:
            # Whoever comes is taken from the first value, and would have to leave the members too.
            return False
        leaving = [
            assign
            for block in (variant.first, variant.second)
            for assign in assignments(block)
            if assign.var == domain.var and assign.index == (domain.param,)
        ]
        kept = self._planes(domain.var)
        away = all(isinstance(a.value, Lit) and a.value.value - kept.first != domain.value for a in leaving)
        return away and len(coming) <= 1 and always_assigns(variant.first, domain.var, domain.param)

    def _planes(self, var: str) -> Planes:
        kept = self.functions.layout.kept[var]
        assert isinstance(kept, Planes)
        return kept

    def _arguments(self, variant: Variant, emitter: Emitter) -> list[str]:
        """Take the action's number apart: `k` counts from the variant's base."""
        lines = []
        rest = "k"
        if variant.free:
            for param in reversed(variant.free[1:] if variant.domain is None else variant.free):
                name = emitter.fresh()
                start = type_first(param.type)
                lines.append(f"    k, {name} = divmod(k, {type_size(param.type)})")
                if start:
                    lines.append(f"    {name} += {start}")
                emitter.names[param.name] = name
            if variant.domain is None:
                param = variant.free[0]
                start = type_first(param.type)
                if start:
                    lines.append(f"    k += {start}")
                emitter.names[param.name] = "k"
            else:
                lines.append("    j = k")
                rest = "j"
        if variant.domain is not None:
            members = emitter.slot(self.functions.layout.add_members(variant.domain.var, variant.domain.value))
            emitter.names[variant.domain.param.name] = "c"
            lines.append(f"    c = {members}[{rest}]")
        return lines


def option_lines(
    kept: Planes, value: int, emitter: Emitter, members: list[str] | None = None, indent: int = 1
) -> tuple[list[str], set[str]]:
    """Source that works out the options of a value from its members, named one by one where they are known."""
    lines, slots = [], set()
    pad = "    " * indent
    for options in kept.options.get(value, []):
        emitter.dealt.add("D0")
        slots.add(options.slot)
        if members is None:
            lines += [f"{pad}y = 0", f"{pad}for x in {kept.members[value]}: y |= {options.of_face}[D0[x]]"]
            lines.append(f"{pad}{options.slot} = {options.lists}[y]")
        else:
            mask = " | ".join(f"{options.of_face}[D0[{name}]]" for name in members)
            lines.append(f"{pad}{options.slot} = {options.lists}[{mask or 0}]")
    return lines, slots


def always_assigns(block: Block, var: str, index: Expr) -> bool:
    """Is the map written at that index whatever branch is taken?"""
    for statement in block:
        match statement:
            case Assign(var=name, index=at) if name == var and at == (index,):
                return True
            case Case(branches) if branches[-1].condition == TRUE:
                if all(always_assigns(branch.block, var, index) for branch in branches):
                    return True
    return False


def in_loop(block: Block, var: str) -> bool:
    """Is the map written in a loop, so that one statement may write many times?"""
    for statement in block:
        match statement:
            case ForEach(block=inner) if any(assign.var == var for assign in assignments(inner)):
                return True
            case Case(branches) if any(in_loop(branch.block, var) for branch in branches):
                return True
    return False
