"""The functions of a compiled game as Python source: deal, start, legal, pick, step, score and view."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from hanabi_formal.diagnostics.source import Span
from hanabi_formal.kernel.build import FALSE, TRUE, negate
from hanabi_formal.kernel.expr import Attr, Expr, Local, walk
from hanabi_formal.kernel.system import Block, System
from hanabi_formal.kernel.types import type_first, type_size, type_values
from hanabi_formal.run.blocks import BlockEmitter, Held
from hanabi_formal.run.emit import Emitter
from hanabi_formal.run.layout import Layout, Planes
from hanabi_formal.run.tables import Tables
from hanabi_formal.run.variants import Variant, existence


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


class LazyLists(dict[int, list[int]]):
    """From a mask to the numbers of its bits, counted from `base`; each list is made when first asked for."""

    def __init__(self, base: int) -> None:
        super().__init__()
        self.base = base

    def __missing__(self, mask: int) -> list[int]:
        found = [self.base + bit for bit in range(mask.bit_length()) if mask >> bit & 1]
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

    def emitter(self) -> Emitter:
        return Emitter(self.layout, self.tables)

    # ---- frames --------------------------------------------------------------------------------
    def _function(self, head: str, emitter: Emitter, body: Iterable[str], used: Iterable[str] | None) -> list[str]:
        """A function that first unpacks the dealt tables and the slots it uses (None: all slots)."""
        lines = [f"def {head}:"]
        for name in sorted(emitter.dealt):
            lines.append(f"    {name} = D[{name[1:]}]")
        if used is None:
            lines.append(f"    {', '.join(self.layout.slots)} = s")
        else:
            lines += [f"    {slot} = s[{self.layout.slots.index(slot)}]" for slot in sorted(used)]
        return [*lines, *body]

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
            before, emitter.reads = emitter.reads, set()
            emitter.facts = []
            text = emitter.truth(end.condition)
            relevant = bool(emitter.reads & ((now | since) if end.late else now)) or not emitter.reads
            emitter.reads |= before
            if relevant:
                found.append((text, number))
        return found

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
    def legal(self, name: str, pick: str, variants: list[Variant]) -> list[str]:
        """Two functions: all legal actions as a list of numbers, and one of them without making the list."""
        emitter = self.emitter()
        listed, picked = [], []
        parts: list[str] = []
        conditions: dict[str, list[str]] = {}
        for variant in variants:
            emitter.facts = []
            test = emitter.truth(variant.hoisted) if variant.hoisted != TRUE else ""
            conditions.setdefault(test, []).append(self._fragment(variant, emitter))
        always = conditions.pop("", [])
        listed.append(f"    a = {' + '.join(always) if always else '[]'}")
        for number, text in enumerate(always):
            parts.append(f"p{number}")
            picked.append(f"    p{number} = {text}")
        for test, texts in conditions.items():
            listed.append(f"    if {test}: a = a + {' + '.join(texts)}")
            names = [f"p{len(parts) + i}" for i in range(len(texts))]
            parts += names
            picked.append(f"    if {test}:")
            picked += [f"        {n} = {text}" for n, text in zip(names, texts, strict=True)]
            picked.append(f"    else: {' = '.join(names)} = NONE")
        listed.append("    return a")
        picked.append(f"    i = int(u * ({' + '.join(f'len({p})' for p in parts) or '0'}))")
        for part in parts[:-1]:
            picked += [f"    if i < len({part}): return {part}[i]", f"    i -= len({part})"]
        picked.append(f"    return {parts[-1]}[i]" if parts else "    raise IndexError")
        return [
            *self._function(f"{name}(D, s)", emitter, listed, emitter.reads),
            *self._function(f"{pick}(D, s, u)", emitter, picked, emitter.reads),
        ]

    def _fragment(self, variant: Variant, emitter: Emitter) -> str:
        """Source of a list with the numbers of the variant's legal instances."""
        base = self.codes.base[variant.number]
        free_width = 1
        for param in variant.free:
            free_width *= type_size(param.type)
        members = None
        if variant.domain is not None:
            members = emitter.slot(self.layout.add_members(variant.domain.var, variant.domain.value))
        if not variant.filters:
            if members is None:
                return self._constant("L", [base + i for i in range(free_width)])
            width = self.codes.width[variant.number] // free_width
            table = self._constant("R", [[base + i for i in range(n * free_width)] for n in range(width + 1)])
            return f"{table}[len({members})]"
        profile = self._profile(variant, emitter)
        if profile is not None:
            return f"{self._constant('H', LazyLists(base))}[{profile}]"
        return self._comprehension(variant, emitter, base, members)

    def _profile(self, variant: Variant, emitter: Emitter) -> str | None:
        """A list looked up by the profile of a value's members, where the one filter has that form."""
        if variant.domain is not None or len(variant.free) != 1 or len(variant.filters) != 1:
            return None
        slot = profile_slot(variant, self.layout, self.tables)
        return slot and emitter.slot(slot)

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
        return f"[{base} + {place} {' '.join(loops)} if {test}]"

    def _constant(self, prefix: str, value: Any) -> str:
        for name, known in self.constants.items():
            if name[0] == prefix and known == value and not isinstance(value, LazyLists):
                return name
            if isinstance(value, LazyLists) and isinstance(known, LazyLists) and known.base == value.base:
                return name
        name = f"{prefix}{len(self.constants)}"
        self.constants[name] = value
        return name

    # ---- steps ---------------------------------------------------------------------------------
    def step(self, name: str, variant: Variant) -> list[str]:
        emitter = self.emitter()
        body = self._arguments(variant, emitter)
        held = None
        if variant.domain is not None:
            position = "k" if not variant.free else "j"
            held = Held(variant.domain.var, variant.domain.param, variant.domain.value, position)
        running = [negate(end.condition) for end in self.system.ends]
        first = BlockEmitter(emitter, self.faults)
        first.part(variant.first, 1, [*variant.facts, *running], held)
        body += first.lines
        written = set(first.written)
        tests = self._ends(emitter, False, written, set())
        word = "if"
        for text, number in tests:
            body.append(f"    {word} {text}: end = {number}")
            word = "elif"
        indent = 1 if not tests else 2
        rest, dirty = self._second(variant.second, emitter, indent, written)
        if tests and rest:
            body.append("    else:")
        body += rest
        for var, value in sorted(first.dirty | dirty):
            body += [f"    {line}" for line in first.profile_lines(var, value)]
        body.append(f"    return ({', '.join(self.layout.slots)},)")
        return self._function(f"{name}(D, s, k)", emitter, body, None)

    def _second(
        self, block: Block, emitter: Emitter, indent: int, written: set[str]
    ) -> tuple[list[str], set[tuple[str, int]]]:
        running = [negate(end.condition) for end in self.system.ends if not end.late]
        second = BlockEmitter(emitter, self.faults)
        second.part(block, indent, running, None)
        lines = list(second.lines)
        word = "if"
        for text, number in self._ends(emitter, True, set(second.written), written):
            lines.append("    " * indent + f"{word} {text}: end = {number}")
            word = "elif"
        return lines, second.dirty

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
    def start(self, initial: tuple[Any, ...] | None) -> list[str]:
        """The first state, if it does not depend on the deal: constants, but for the profiles of the hands dealt."""
        if initial is None:
            return []
        lines = ["def start(D):", "    F = D[0]"]
        values = {slot: repr(value) for slot, value in zip(self.layout.slots, initial, strict=True)}
        for kept in self.layout.kept.values():
            if isinstance(kept, Planes):
                for value, profiles in kept.profiles.items():
                    members = initial[self.layout.slots.index(kept.members[value])]
                    for slot, table in profiles:
                        values[slot] = " | ".join(f"P{table}[F[{c}]]" for c in members) or "0"
        lines.append(f"    s = ({', '.join(values[slot] for slot in self.layout.slots)},)")
        return [*lines, "    e = first_end(D, s)", "    return (*s[:-1], e) if e else s"]


def profile_slot(variant: Variant, layout: Layout, tables: Tables) -> str | None:
    """The slot of the profile that the variant's only filter asks about, if it is of that form."""
    if variant.domain is not None or len(variant.free) != 1 or len(variant.filters) != 1:
        return None
    free = variant.free[0]
    found = existence(variant.filters[0], free, layout)
    if found is None or type_size(free.type) > 16:
        return None
    table = tables.profile_of_face(found.relation, found.binder, free)
    layout.add_members(found.var, found.value)
    return layout.add_profile(found.var, found.value, int(table[1:]))


def depends_on_deal(system: System) -> bool:
    return any(isinstance(node, Attr) for init in system.inits for node in walk(init.value))


