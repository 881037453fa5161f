"""Which actions are legal, as Python source: `legal` lists their numbers, `pick` takes one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from hanabi_formal.kernel.build import TRUE
from hanabi_formal.kernel.types import type_size, type_values
from hanabi_formal.run.compiler.action_variants import Variant, existence
from hanabi_formal.run.compiler.emit import Emitter
from hanabi_formal.run.compiler.functions import Functions

MOST_TESTS = 5
MOST_OPTIONS = 12


def all_tuples(base: int, bits: int) -> tuple[tuple[int, ...], ...]:
    """For every mask of so many bits the numbers of its bits, counted from `base`."""
    found: list[tuple[int, ...]] = [()]
    for bit in range(bits):
        found += [(*row, base + bit) for row in found]
    return tuple(found)


def halving(below: Callable[[int], str], starts: Sequence[int], bodies: dict[int, list[str]]) -> list[str]:
    """Source that does what belongs to the last of the starts that a number is not below; `starts` are in order."""
    if len(starts) == 1:
        return bodies[starts[0]]
    middle = len(starts) // 2
    return [
        f"if {below(starts[middle])}:",
        *indented(halving(below, starts[:middle], bodies)),
        "else:",
        *indented(halving(below, starts[middle:], bodies)),
    ]


def indented(lines: list[str], times: int = 1) -> list[str]:
    return ["    " * times + line for line in lines]


@dataclass(frozen=True)
class Fragment:
    """Source of a sequence of numbers, and the variants they belong to."""

    text: str
    variants: tuple[Variant, ...]


@dataclass(frozen=True)
class Fragments:
    """Sequences that are always there, and those there under a condition; together they are what an actor may do."""

    always: list[Fragment]
    sometimes: list[tuple[str, list[Fragment]]]


class Choices:
    """Actions are numbered; what is legal is put together from sequences of numbers, most of them ready-made."""

    def __init__(self, functions: Functions) -> None:
        self.functions = functions

    def legal(self, turn: str, groups: dict[int, list[Variant]]) -> list[str]:
        """Two functions: all legal actions as a sequence of numbers, and one of them without making the sequence.

        `groups` are the variants of each actor; `turn` is the source of whose turn it is.
        """
        listing: dict[int, list[str]] = {}
        picking: dict[int, list[str]] = {}
        for actor, variants in groups.items():
            emitter = self.functions.emitter()
            found = self.fragments(variants, emitter)
            listing[actor] = self.functions.reading(emitter, self._listing(found))
            picking[actor] = self.functions.reading(emitter, [*self.counting(found), *self._picking(found)])
        whose = [f"    t = {turn}"] if len(groups) > 1 else []
        listed, picked = (halving("t < {}".format, list(groups), bodies) for bodies in (listing, picking))
        return [
            "def legal(D, s):",
            "    if s[-1]: return ()",
            *whose,
            *indented(listed),
            "def pick(D, s, u):",
            *whose,
            *indented(picked),
        ]

    def fragments(self, variants: list[Variant], emitter: Emitter) -> Fragments:
        """What is chosen from the same members is put into one table for each set of conditions that hold."""
        always: list[Fragment] = []
        sometimes: dict[str, list[Fragment]] = {}
        chosen: dict[str, dict[str, list[Variant]]] = {}
        for variant in variants:
            emitter.facts = []
            test = emitter.truth(variant.hoisted) if variant.hoisted != TRUE else ""
            if variant.domain is not None and not variant.filters:
                members = emitter.slot(self.functions.layout.add_members(variant.domain.var, variant.domain.value))
                chosen.setdefault(members, {}).setdefault(test, []).append(variant)
                continue
            fragment = Fragment(self._fragment(variant, emitter), (variant,))
            if test:
                sometimes.setdefault(test, []).append(fragment)
            else:
                always.append(fragment)
        for members, by_test in chosen.items():
            if len(by_test) <= MOST_TESTS:
                always.append(self._choices(members, by_test))
            else:
                always += [self._choices(members, {test: several}) for test, several in by_test.items()]
        return Fragments(always, list(sometimes.items()))

    def _width(self, variant: Variant) -> int:
        """How many numbers there are for each member of the variant's domain."""
        return prod(type_size(param.type) for param in variant.free)

    def _choices(self, members: str, by_test: dict[str, list[Variant]]) -> Fragment:
        """A sequence looked up by the number of members, in the table for the conditions that hold."""
        codes = self.functions.codes

        def table(variants: list[Variant]) -> str:
            rows = tuple(
                tuple(codes.base[v.number] + i for v in variants for i in range(many * self._width(v)))
                for many in range(most + 1)
            )
            return self.functions.constant("R", rows)

        def choose(tests: list[str], variants: list[Variant]) -> str:
            if not tests:
                return table(variants)
            first, *rest = tests
            return f"({choose(rest, variants + by_test[first])} if {first} else {choose(rest, variants)})"

        every = tuple(variant for variants in by_test.values() for variant in variants)
        most = max(type_size(variant.domain.param.type) for variant in every if variant.domain)
        chosen = choose([test for test in by_test if test], by_test.get("", []))
        return Fragment(f"{chosen}[len({members})]", every)

    def _listing(self, found: Fragments) -> list[str]:
        def joined(texts: list[str]) -> str:
            if len(texts) > 2:
                return f"[{', '.join(f'*{text}' for text in texts)}]"
            return " + ".join(texts) or "()"

        text = joined([fragment.text for fragment in found.always])
        lines = []
        for place, (test, fragments) in enumerate(found.sometimes):
            # A sequence that is a list stays one; `[*a, …]` takes both.
            plain = place == 0 and len(found.always) <= 2
            more = [fragment.text for fragment in fragments] + ([] if plain else ["()"])
            last = place == len(found.sometimes) - 1
            if last and plain:
                lines.append(f"if {test}: return {joined([text, *more])}")
                break
            lines.append(f"a = {text}")
            lines.append(f"if {test}: {'return' if last else 'a ='} {joined(['a', *more])}")
            text = "a"
        return [*lines, f"return {text}"]

    def counting(self, found: Fragments) -> list[str]:
        """Source that gives every fragment a name: `p0`, `p1`, and so on."""
        lines = [f"p{place} = {fragment.text}" for place, fragment in enumerate(found.always)]
        many = len(found.always)
        for test, fragments in found.sometimes:
            names = [f"p{many + i}" for i in range(len(fragments))]
            many += len(fragments)
            lines.append(f"if {test}: {'; '.join(f'{n} = {f.text}' for n, f in zip(names, fragments, strict=True))}")
            lines.append(f"else: {' = '.join(names)} = ()")
        return lines

    def _picking(self, found: Fragments) -> list[str]:
        many = len(found.always) + sum(len(fragments) for _, fragments in found.sometimes)
        if not many:
            return ["raise IndexError"]
        lines = [f"i = int(u * ({' + '.join(f'len(p{i})' for i in range(many))}))"]
        for place in range(many - 1):
            lines += [f"if i < len(p{place}): return p{place}[i]", f"i -= len(p{place})"]
        return [*lines, f"return p{many - 1}[i]"]

    def _fragment(self, variant: Variant, emitter: Emitter) -> str:
        """Source of a sequence with the numbers of the variant's legal instances."""
        base = self.functions.codes.base[variant.number]
        if variant.domain is None and not variant.filters:
            return self.functions.constant("L", tuple(base + i for i in range(self._width(variant))))
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
        lists = self.functions.constant("H", all_tuples(base, type_size(free.type)), base)
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
