"""The functions of a compiled game as Python source, but for those about actions: deal, start, ends, score and view."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from hanabi_formal.kernel.build import FALSE, TRUE
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.types import type_size, type_values
from hanabi_formal.run.compiler.action_variants import Variant
from hanabi_formal.run.compiler.blocks import EndTest
from hanabi_formal.run.compiler.emit import Emitter
from hanabi_formal.run.compiler.layout import Layout, Planes
from hanabi_formal.run.compiler.lookup_tables import Tables
from hanabi_formal.run.faults import Breach

BYTES = 256


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


class Functions:
    """What is made for a system so far: its source's frames, constants and faults."""

    def __init__(self, system: System, layout: Layout, tables: Tables, codes: Codes) -> None:
        self.system = system
        self.layout = layout
        self.tables = tables
        self.codes = codes
        self.faults: list[Breach] = []
        self.constants: dict[str, Any] = {}
        self._names: dict[Any, str] = {}
        self._end_tests: dict[int, tuple[str, frozenset[str], frozenset[str]]] = {}

    def emitter(self) -> Emitter:
        return Emitter(self.layout, self.tables)

    # ---- frames --------------------------------------------------------------------------------
    def function(self, head: str, emitter: Emitter, body: Iterable[str], slots: Iterable[str]) -> list[str]:
        """A function that first takes the dealt tables and the slots it needs."""
        lines = [f"def {head}:"]
        lines += [f"    {name} = D[{name[1:]}]" for name in sorted(emitter.dealt)]
        for slot in sorted(slots):
            cell, place = self.layout.where(slot)
            lines.append(f"    {slot} = s[{cell}]" + ("" if place is None else f"[{place}]"))
        return [*lines, *body]

    def reading(self, emitter: Emitter, body: list[str]) -> list[str]:
        """A body with what it needs from the deal and the state: first, or in its place if it is needed only once."""
        text = "\n".join(body)
        lines = [f"{name} = D[{name[1:]}]" for name in sorted(emitter.dealt)]
        for slot in sorted(emitter.reads):
            cell, place = self.layout.where(slot)
            source = f"s[{cell}]" + ("" if place is None else f"[{place}]")
            if len(re.findall(rf"\b{slot}\b", text)) == 1:
                text = re.sub(rf"\b{slot}\b", source, text)
            else:
                lines.append(f"{slot} = {source}")
        return [*lines, *text.split("\n")]

    def stepping(self, head: str, emitter: Emitter, body: Iterable[str], written: set[str]) -> list[str]:
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
        names: dict[frozenset[int], str] = {}
        rows_of = []
        for rows in self.tables.dealt.values():
            for row in rows:
                if row not in names:
                    text = self._row(row, names, [other for other in rows if other != row])
                    names[row] = f"r{len(names)}"
                    lines.append(f"    {names[row]} = {text}")
            rows_of.append(f"({', '.join(names[row] for row in rows)},)")
        if names:
            lines.insert(1, "    B = bytes(F)[::-1]" if len(deck.faces) <= BYTES else "    Z = tuple(enumerate(F))")
        return [*lines, f"    return (F, {', '.join(rows_of)})"]

    def _row(self, row: frozenset[int], known: dict[frozenset[int], str], others: list[frozenset[int]]) -> str:
        """Source of the mask of the cards whose faces are in the row.

        With a digit for each card, 1 if it is in the row, the deck reversed is the mask as a binary number. That is
        faster than a loop over the cards, and leaving out what is left over by other rows is faster still.
        """
        deck = self.tables.deck
        assert deck is not None
        if not row:
            return "0"
        together = len(row) + sum(map(len, others))
        if together == len(deck.faces) == len(row.union(*others)) and all(other in known for other in others):
            return " ^ ".join([str((1 << deck.sort.size) - 1), *(known[other] for other in others)])
        if len(deck.faces) > BYTES:
            return f"sum([1 << i for i, f in Z if f in {self.constant('B', row)}])"
        digits = bytes(b"01"[face in row] for face in range(BYTES))
        return f"int(B.translate({self.constant('B', digits)}), 2)"

    # ---- ends and scores -----------------------------------------------------------------------
    def ends(self, emitter: Emitter, late: bool, now: set[str], since: set[str]) -> list[EndTest]:
        """The ends that can have come true, given the slots written now and since the last look."""
        found = []
        for number, end in enumerate(self.system.ends, 1):
            if (end.late and not late) or end.condition == FALSE:
                continue
            text, reads, dealt = self._end_test(number)
            if not reads or reads & ((now | since) if end.late else now):
                nests = bool(reads) and "end" not in reads and not (end.late and reads & since)
                found.append(EndTest(text, number, reads, nests))
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

    def score(self) -> list[str]:
        emitter = self.emitter()
        body = []
        for number, end in enumerate(self.system.ends, 1):
            if end.score != self.system.score:
                body.append(f"    if s[-1] == {number}: return {emitter.value(end.score)}")
        body.append(f"    return {emitter.value(self.system.score)}")
        return self.function("score(D, s)", emitter, body, emitter.reads)

    def condition(self, name: str, expr: Expr) -> list[str]:
        emitter = self.emitter()
        body = [f"    return {emitter.truth(expr)}"]
        return self.function(f"{name}(D, s)", emitter, body, emitter.reads)

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
        return self.function("view(D, s, p)", emitter, body, emitter.reads)

    def constant(self, prefix: str, value: Any, key: Any = None) -> str:
        """A global of the generated module, the same for the same key."""
        key = (prefix, value if key is None else key)
        if key not in self._names:
            self._names[key] = f"{prefix}{len(self._names)}"
            self.constants[self._names[key]] = value
        return self._names[key]

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
        emitter = self.emitter()
        every = set(self.layout.slots)
        ends = "".join(f"{test.number} if {test.text} else " for test in self.ends(emitter, True, every, every))
        read = [f"    {slot} = {values[slot]}" for slot in sorted(emitter.reads)]
        values["end"] = f"{ends}0"
        cells = [
            values[cell] if isinstance(cell, str) else f"({', '.join(values[slot] for slot in cell)},)"
            for cell in self.layout.cells
        ]
        return [
            "def start(D):",
            "    F = D[0]",
            *(f"    {name} = D[{name[1:]}]" for name in sorted(emitter.dealt)),
            *read,
            f"    return ({', '.join(cells)},)",
        ]
