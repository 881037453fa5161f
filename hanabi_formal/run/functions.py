"""The functions of a compiled game as Python source: deal, start, legal, pick, step, score and view."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from hanabi_formal.diagnostics.source import Span
from hanabi_formal.kernel.build import FALSE, TRUE, negate
from hanabi_formal.kernel.expr import Attr, Expr, Lit, walk
from hanabi_formal.kernel.system import Assign, Block, Case, ForEach, System, assignments
from hanabi_formal.kernel.types import type_first, type_size, type_values
from hanabi_formal.run.blocks import BlockEmitter, Deferred, Held
from hanabi_formal.run.emit import Emitter
from hanabi_formal.run.layout import Layout, Planes
from hanabi_formal.run.tables import Tables
from hanabi_formal.run.variants import Variant, existence

MOST_TESTS = 5


@dataclass
class Codes:
    """Numbers for actions. Each action with its unrolled parameters has a run of numbers, for what is left of it."""

    base: dict[int, int] = field(default_factory=dict)
    width: dict[int, int] = field(default_factory=dict)
    total: int = 0

    def reserve(self, variant: Variant) -> None:
        if variant.number in self.base:
            return
        width = type_size(variant.domain.param.type) if variant.domain else 1
        for param in variant.free:
            width *= type_size(param.type)
        self.base[variant.number] = self.total
        self.width[variant.number] = width
        self.total += width


class LazyTuples(dict[int, tuple[int, ...]]):
    """From a mask to the numbers of its bits, counted from `base`; each tuple is made when first asked for."""

    def __init__(self, base: int) -> None:
        super().__init__()
        self.base = base

    def __missing__(self, mask: int) -> tuple[int, ...]:
        found = tuple(self.base + bit for bit in range(mask.bit_length()) if mask >> bit & 1)
        self[mask] = found
        return found


class Functions:
    def __init__(self, system: System, layout: Layout, tables: Tables, codes: Codes) -> None:
        self.system = system
        self.layout = layout
        self.tables = tables
        self.codes = codes
        self.faults: list[tuple[str, Span | None]] = []
        self.constants: dict[str, Any] = {}
        self._names: dict[Any, str] = {}
        self._end_tests: dict[int, tuple[str, frozenset[str], frozenset[str]]] = {}

    def emitter(self) -> Emitter:
        return Emitter(self.layout, self.tables)

    # ---- frames --------------------------------------------------------------------------------
    def _function(self, head: str, emitter: Emitter, body: Iterable[str], slots: Iterable[str]) -> list[str]:
        """A function that first takes the dealt tables and the slots it needs."""
        lines = [f"def {head}:"]
        lines += [f"    {name} = D[{name[1:]}]" for name in sorted(emitter.dealt)]
        for slot in sorted(slots):
            cell, place = self.layout.where(slot)
            lines.append(f"    {slot} = s[{cell}]" + ("" if place is None else f"[{place}]"))
        return [*lines, *body]

    def _stepping(self, head: str, emitter: Emitter, body: Iterable[str], written: set[str]) -> list[str]:
        """A function that takes the state apart, as far as it must, and puts the next one together."""
        touched = emitter.reads | written
        cells, before, after = [], [], []
        for number, cell in enumerate(self.layout.cells):
            if isinstance(cell, str):
                cells.append(cell)
                after.append(cell)
                continue
            name = f"g{number}"
            cells.append(name)
            if touched & set(cell):
                before.append(f"    {', '.join(cell)}, = {name}")
            after.append(f"({', '.join(cell)},)" if written & set(cell) else name)
        lines = [f"def {head}:"]
        lines += [f"    {name} = D[{name[1:]}]" for name in sorted(emitter.dealt)]
        lines.append(f"    {', '.join(cells)}, = s")
        return [*lines, *before, *body, f"    return ({', '.join(after)},)"]

    def deal(self) -> list[str]:
        """From the faces in order of the cards to the dealt tables."""
        lines = ["def deal(F):"]
        deck = self.tables.deck
        if deck is None:
            return [*lines, "    return (F,)"]
        lines += [
            f"    M = [0] * {len(deck.faces)}",
            "    for b, f in zip(BITS, F): M[f] |= b",
            f"    {', '.join(f'f{i}' for i in range(len(deck.faces)))}, = M",
        ]
        names: dict[frozenset[int], str] = {}
        rows_of = []
        for rows in self.tables.dealt.values():
            for row in rows:
                if row not in names:
                    names[row] = f"r{len(names)}"
                    lines.append(f"    {names[row]} = {' | '.join(f'f{i}' for i in sorted(row)) or '0'}")
            rows_of.append(f"({', '.join(names[row] for row in rows)},)")
        return [*lines, f"    return (F, {', '.join(rows_of)})"]

    # ---- ends and scores -----------------------------------------------------------------------
    def _ends(self, emitter: Emitter, late: bool, now: set[str], since: set[str]) -> list[tuple[str, int]]:
        """Conditions of the ends that can have come true, given the slots written now and since the last look."""
        found = []
        for number, end in enumerate(self.system.ends, 1):
            if (end.late and not late) or end.condition == FALSE:
                continue
            text, reads, dealt = self._end_test(number)
            if not reads or reads & ((now | since) if end.late else now):
                found.append((text, number))
                emitter.reads |= reads
                emitter.dealt |= dealt
        return found

    def _end_test(self, number: int) -> tuple[str, frozenset[str], frozenset[str]]:
        """Source of an end's condition, the same in every function, with the slots and the dealt tables it needs."""
        if number not in self._end_tests:
            emitter = self.emitter()
            text = emitter.truth(self.system.ends[number - 1].condition)
            self._end_tests[number] = (text, frozenset(emitter.reads), frozenset(emitter.dealt))
        return self._end_tests[number]

    def first_end(self) -> list[str]:
        emitter = self.emitter()
        every = set(self.layout.slots)
        body = [f"    if {text}: return {number}" for text, number in self._ends(emitter, True, every, every)]
        return self._function("first_end(D, s)", emitter, [*body, "    return 0"], emitter.reads)

    def score(self) -> list[str]:
        emitter = self.emitter()
        body = []
        for number, end in enumerate(self.system.ends, 1):
            if end.score != self.system.score:
                body.append(f"    if s[-1] == {number}: return {emitter.value(end.score)}")
        body.append(f"    return {emitter.value(self.system.score)}")
        return self._function("score(D, s)", emitter, body, emitter.reads)

    def condition(self, name: str, expr: Expr) -> list[str]:
        emitter = self.emitter()
        body = [f"    return {emitter.truth(expr)}"]
        return self._function(f"{name}(D, s)", emitter, body, emitter.reads)

    def view(self) -> list[str]:
        """All facts a seat sees, as (number of the fact, values of its bound names, value)."""
        view = self.system.view
        if view is None:
            return ["def view(D, s, p):", "    return ()"]
        emitter = self.emitter()
        emitter.names[view.seat.name] = "p"
        body = ["    found = []"]
        number = 0
        for sight in view.sights:
            indent = 1
            names = []
            for binder in sight.binders:
                name = emitter.fresh()
                emitter.names[binder.name] = name
                names.append(name)
                values = type_values(binder.type)
                body.append("    " * indent + f"for {name} in range({values.start}, {values.stop}):")
                indent += 1
            if sight.where != TRUE:
                body.append("    " * indent + f"if {emitter.truth(sight.where)}:")
                indent += 1
            bound = f"({', '.join(names)},)" if names else "()"
            for fact in sight.facts:
                body.append("    " * indent + f"found.append(({number}, {bound}, {emitter.value(fact)}))")
                number += 1
        body.append("    return tuple(found)")
        return self._function("view(D, s, p)", emitter, body, emitter.reads)

    # ---- legal actions -------------------------------------------------------------------------
    def legal(self, groups: list[tuple[str, list[Variant]]]) -> list[str]:
        """Two functions: all legal actions as a sequence of numbers, and one of them without making the sequence.

        `groups` are the variants of each actor, with the condition that it is that one's turn.
        """
        listing = ["def legal(D, s):", "    if s[-1]: return ()"]
        picking = ["def pick(D, s, u):"]
        for test, variants in groups:
            emitter = self.emitter()
            always, sometimes = self._fragments(variants, emitter)
            for lines, end in ((listing, self._listing(always, sometimes)), (picking, self._picking(always, sometimes))):
                lines.append(f"    if {test}:")
                lines += [f"    {line}" for line in self._function("_", emitter, end, emitter.reads)[1:]]
        return [*listing, "    return ()", *picking, "    raise IndexError"]

    def _fragments(self, variants: list[Variant], emitter: Emitter) -> tuple[list[str], list[tuple[str, list[str]]]]:
        """Sources of sequences of numbers: those always there, and those there under a condition.

        What is chosen from the same members is put into one table for each set of conditions that hold.
        """
        always: list[str] = []
        sometimes: dict[str, list[str]] = {}
        chosen: dict[str, dict[str, list[range]]] = {}
        for variant in variants:
            emitter.facts = []
            test = emitter.truth(variant.hoisted) if variant.hoisted != TRUE else ""
            base, width = self.codes.base[variant.number], 1
            for param in variant.free:
                width *= type_size(param.type)
            if variant.domain is not None and not variant.filters:
                members = emitter.slot(self.layout.add_members(variant.domain.var, variant.domain.value))
                many = self.codes.width[variant.number]
                chosen.setdefault(members, {}).setdefault(test, []).append(range(base, base + many, width))
                continue
            text = self._fragment(variant, emitter, base, width)
            if test:
                sometimes.setdefault(test, []).append(text)
            else:
                always.append(text)
        for members, by_test in chosen.items():
            if len(by_test) <= MOST_TESTS:
                always.append(self._choices(members, by_test))
            else:
                always += [self._choices(members, {test: runs}) for test, runs in by_test.items()]
        return always, list(sometimes.items())

    def _choices(self, members: str, by_test: dict[str, list[range]]) -> str:
        """A sequence looked up by the number of members, in the table for the conditions that hold."""

        def table(runs: list[range]) -> str:
            most = max(len(run) for run in runs)
            rows = tuple(
                tuple(run.start + i for run in runs for i in range(min(n, len(run)) * run.step)) for n in range(most + 1)
            )
            return f"{self.constant('R', rows)}[len({members})]"

        def choose(tests: list[str], runs: list[range]) -> str:
            if not tests:
                return table(runs) if runs else "()"
            first, *rest = tests
            return f"({choose(rest, runs + by_test[first])} if {first} else {choose(rest, runs)})"

        return choose([test for test in by_test if test], by_test.get("", []))

    def _listing(self, always: list[str], sometimes: list[tuple[str, list[str]]]) -> list[str]:
        def joined(texts: list[str]) -> str:
            if len(texts) > 2:
                return f"[{', '.join(f'*{text}' for text in texts)}]"
            return " + ".join(texts) or "()"

        lines = [f"    a = {joined(always)}"]
        for number, (test, texts) in enumerate(sometimes):
            # A sequence that is a list stays one; `[*a, …]` takes both.
            plain = number == 0 and len(always) <= 2
            lines.append(f"    if {test}: a = {joined(['a', *texts]) if plain else joined(['a', *texts, '()'])}")
        return [*lines, "    return a"]

    def _picking(self, always: list[str], sometimes: list[tuple[str, list[str]]]) -> list[str]:
        lines = [f"    p{number} = {text}" for number, text in enumerate(always)]
        parts = [f"p{number}" for number in range(len(always))]
        for test, texts in sometimes:
            names = [f"p{len(parts) + i}" for i in range(len(texts))]
            parts += names
            lines.append(f"    if {test}: {', '.join(names)}, = {', '.join(texts)},")
            lines.append(f"    else: {' = '.join(names)} = ()")
        lines.append(f"    i = int(u * ({' + '.join(f'len({p})' for p in parts) or '0'}))")
        for part in parts[:-1]:
            lines += [f"    if i < len({part}): return {part}[i]", f"    i -= len({part})"]
        return [*lines, f"    return {parts[-1]}[i]" if parts else "    raise IndexError"]

    def _fragment(self, variant: Variant, emitter: Emitter, base: int, width: int) -> str:
        """Source of a sequence with the numbers of the variant's legal instances."""
        if variant.domain is None and not variant.filters:
            return self.constant("L", tuple(base + i for i in range(width)))
        options = self.options_slot(variant)
        if options:
            return emitter.slot(options)
        members = None
        if variant.domain is not None:
            members = emitter.slot(self.layout.add_members(variant.domain.var, variant.domain.value))
        return self._comprehension(variant, emitter, base, members)

    def options_slot(self, variant: Variant) -> str | None:
        """The slot that lists the variant's legal instances, if its one filter asks for some member of a value."""
        if variant.domain is not None or len(variant.free) != 1 or len(variant.filters) != 1:
            return None
        free = variant.free[0]
        found = existence(variant.filters[0], free, self.layout)
        if found is None or type_size(free.type) > 16:
            return None
        of_face = self.tables.profile_of_face(found.relation, found.binder, free)
        lists = self.constant("H", LazyTuples(self.codes.base[variant.number]))
        return self.layout.add_options(found.var, found.value, of_face, lists)

    def _comprehension(self, variant: Variant, emitter: Emitter, base: int, members: str | None) -> str:
        loops, place = [], ""
        if variant.domain is not None:
            position, card = emitter.fresh(), emitter.fresh()
            emitter.names[variant.domain.param.name] = card
            loops.append(f"for {position}, {card} in enumerate({members})")
            place = position
        for param in variant.free:
            name = emitter.fresh()
            emitter.names[param.name] = name
            values = type_values(param.type)
            loops.append(f"for {name} in range({values.start}, {values.stop})")
            digit = f"({name} - {values.start})" if values.start else name
            place = f"({place} * {type_size(param.type)} + {digit})" if place else digit
        test = " and ".join(emitter.truth(condition) for condition in variant.filters)
        return f"tuple([{base} + {place} {' '.join(loops)} if {test}])"

    def constant(self, prefix: str, value: Any) -> str:
        """A global of the generated module, the same for the same value."""
        key = (prefix, value.base if isinstance(value, LazyTuples) else value)
        if key not in self._names:
            self._names[key] = f"{prefix}{len(self._names)}"
            self.constants[self._names[key]] = value
        return self._names[key]

    # ---- steps ---------------------------------------------------------------------------------
    def step(self, number: int, variant: Variant) -> list[str]:
        emitter = self.emitter()
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
            lines, slots = self._option_lines(emitter, var, value, None)
            body += lines
            written |= slots
        return self._stepping(f"step_{number}(D, s, k)", emitter, body, written)

    def _parts(
        self, number: int, variant: Variant, emitter: Emitter, held: Held | None, deferred: Deferred | None, code: str
    ) -> tuple[list[str], set[str], set[tuple[str, int]]]:
        """Both parts of a step with the ends after each; also the slots written and the values with new members."""
        running = [negate(end.condition) for end in self.system.ends]
        first = BlockEmitter(emitter, self.faults, number, code)
        first.deferred = deferred
        first.part(variant.first, 1, [*variant.facts, *running], held)
        body = list(first.lines)
        tests = self._ends(emitter, False, set(first.written), set())
        word = "if"
        for text, end in tests:
            body.append(f"    {word} {text}: end = {end}")
            word = "elif"
        indent = 2 if tests else 1
        second = BlockEmitter(emitter, self.faults, number, code)
        second.deferred = deferred
        second.part(variant.second, indent, [negate(end.condition) for end in self.system.ends if not end.late], None)
        rest = list(second.lines)
        word = "if"
        for text, end in self._ends(emitter, True, set(second.written), set(first.written)):
            rest.append("    " * indent + f"{word} {text}: end = {end}")
            word = "elif"
        if tests and rest:
            body.append("    else:")
        return [*body, *rest], first.written | second.written | {"end"}, first.dirty | second.dirty

    def _option_lines(
        self, emitter: Emitter, var: str, value: int, members: list[str] | None, indent: int = 1
    ) -> tuple[list[str], set[str]]:
        """Source that works out the options of a value from its members, named one by one where they are known."""
        kept = self.layout.kept[var]
        assert isinstance(kept, Planes)
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

    def step_at(self, number: int, variant: Variant, place: int, many: int) -> list[str]:
        """The step for the member at one place among the usual number of members; others go the general way.

        Members are then names instead of a tuple to cut, which saves a fifth of the time of such a step.
        """
        domain = variant.domain
        assert domain is not None
        emitter = self.emitter()
        kept = self.layout.kept[domain.var]
        assert isinstance(kept, Planes)
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
        body += ["    if n < 0:", f"        {slot} = ({', '.join(left)},)" if left else f"        {slot} = ()"]
        lines, slots = self._option_lines(emitter, domain.var, domain.value, left, 2)
        body += lines
        if left:
            body += [f"    elif n < {left[-1]}: {general}"]
        body += ["    else:", f"        {slot} = ({', '.join([*left, 'n'])},)"]
        lines, _ = self._option_lines(emitter, domain.var, domain.value, [*left, "n"], 2)
        body += lines
        written |= slots | {slot}
        for var, value in sorted(dirty):
            lines, slots = self._option_lines(emitter, var, value, None)
            body += lines
            written |= slots
        return self._stepping(f"step_{number}_{place}(D, s, k)", emitter, body, written)

    def can_name_members(self, variant: Variant) -> bool:
        """Does the member always leave, and at most one come, so that `step_at` can be used?"""
        domain = variant.domain
        if domain is None or variant.free or in_loop(variant.first, domain.var) or in_loop(variant.second, domain.var):
            return False
        coming = [
            assign for block in (variant.first, variant.second) for assign in assignments(block)
            if assign.var == domain.var and assign.index != (domain.param,)
        ]  # fmt: skip
        if coming and domain.value == 0:
            # Whoever comes is taken from the first value, and would have to leave the members too.
            return False
        leaving = [
            assign for block in (variant.first, variant.second) for assign in assignments(block)
            if assign.var == domain.var and assign.index == (domain.param,)
        ]  # fmt: skip
        kept = self.layout.kept[domain.var]
        assert isinstance(kept, Planes)
        away = all(isinstance(a.value, Lit) and a.value.value - kept.first != domain.value for a in leaving)
        return away and len(coming) <= 1 and always_assigns(variant.first, domain.var, domain.param)

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
            members = emitter.slot(self.layout.add_members(variant.domain.var, variant.domain.value))
            emitter.names[variant.domain.param.name] = "c"
            lines.append(f"    c = {members}[{rest}]")
        return lines

    # ---- start ---------------------------------------------------------------------------------
    def start(self, initial: dict[str, Any]) -> list[str]:
        """The first state, where it does not depend on the deal: constants, but for the options of the members."""
        values = {slot: repr(value) for slot, value in initial.items()}
        for kept in self.layout.kept.values():
            if isinstance(kept, Planes):
                for value, several in kept.options.items():
                    for options in several:
                        mask = " | ".join(f"{options.of_face}[F[{card}]]" for card in initial[kept.members[value]])
                        values[options.slot] = f"{options.lists}[{mask or 0}]"
        cells = [
            values[cell] if isinstance(cell, str) else f"({', '.join(values[slot] for slot in cell)},)"
            for cell in self.layout.cells
        ]
        return [
            "def start(D):", "    F = D[0]", f"    s = ({', '.join(cells)},)", "    e = first_end(D, s)",
            "    return (*s[:-1], e) if e else s",
        ]  # fmt: skip


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


def depends_on_deal(system: System) -> bool:
    return any(isinstance(node, Attr) for init in system.inits for node in walk(init.value))


