"""Which actions are legal, as Python source: `legal` lists their numbers, `pick` takes one of them."""

from __future__ import annotations

from hanabi_formal.kernel.build import TRUE
from hanabi_formal.kernel.types import type_size, type_values
from hanabi_formal.run.emit import Emitter
from hanabi_formal.run.functions import Functions
from hanabi_formal.run.variants import Variant, existence

MOST_TESTS = 5
MOST_OPTIONS = 16


class LazyTuples(dict[int, tuple[int, ...]]):
    """From a mask to the numbers of its bits, counted from `base`; each tuple is made when first asked for."""

    def __init__(self, base: int) -> None:
        super().__init__()
        self.base = base

    def __missing__(self, mask: int) -> tuple[int, ...]:
        found = tuple(self.base + bit for bit in range(mask.bit_length()) if mask >> bit & 1)
        self[mask] = found
        return found


class Choices:
    """Actions are numbered; what is legal is put together from sequences of numbers, most of them ready-made."""

    def __init__(self, functions: Functions) -> None:
        self.functions = functions

    def legal(self, groups: list[tuple[str, list[Variant]]]) -> list[str]:
        """Two functions: all legal actions as a sequence of numbers, and one of them without making the sequence.

        `groups` are the variants of each actor, with the condition that it is that one's turn.
        """
        listing = ["def legal(D, s):", "    if s[-1]: return ()"]
        picking = ["def pick(D, s, u):"]
        for test, variants in groups:
            emitter = self.functions.emitter()
            always, sometimes = self._fragments(variants, emitter)
            ends = (self._listing(always, sometimes), self._picking(always, sometimes))
            for lines, end in zip((listing, picking), ends, strict=True):
                lines.append(f"    if {test}:")
                lines += [f"    {line}" for line in self.functions.function("_", emitter, end, emitter.reads)[1:]]
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
            base, width = self.functions.codes.base[variant.number], 1
            for param in variant.free:
                width *= type_size(param.type)
            if variant.domain is not None and not variant.filters:
                members = emitter.slot(self.functions.layout.add_members(variant.domain.var, variant.domain.value))
                many = self.functions.codes.width[variant.number]
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
                tuple(run.start + i for run in runs for i in range(min(many, len(run)) * run.step))
                for many in range(most + 1)
            )
            return f"{self.functions.constant('R', rows)}[len({members})]"

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
            return self.functions.constant("L", tuple(base + i for i in range(width)))
        options = self.options_slot(variant)
        if options:
            return emitter.slot(options)
        members = None
        if variant.domain is not None:
            members = emitter.slot(self.functions.layout.add_members(variant.domain.var, variant.domain.value))
        return self._comprehension(variant, emitter, base, members)

    def options_slot(self, variant: Variant) -> str | None:
        """The slot that lists the variant's legal instances, if its one filter asks for some member of a value."""
        if variant.domain is not None or len(variant.free) != 1 or len(variant.filters) != 1:
            return None
        free = variant.free[0]
        found = existence(variant.filters[0], free, self.functions.layout)
        if found is None or type_size(free.type) > MOST_OPTIONS:
            return None
        of_face = self.functions.tables.profile_of_face(found.relation, found.binder, free)
        base = self.functions.codes.base[variant.number]
        lists = self.functions.constant("H", LazyTuples(base), base)
        return self.functions.layout.add_options(found.var, found.value, of_face, lists)

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
