"""Which actions are legal: `legal` lists their numbers, `pick` takes one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from hanabi_formal.kernel.build import TRUE
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.types import Type, type_size
from hanabi_formal.run.compiler import code as py
from hanabi_formal.run.compiler.action_variants import Variant, existence
from hanabi_formal.run.compiler.assignments import Lines
from hanabi_formal.run.compiler.code import PyExpr, PyName
from hanabi_formal.run.compiler.emit import Emitter
from hanabi_formal.run.compiler.functions import DEALT, ENDED, STATE, Functions

MOST_TESTS = 5
MOST_OPTIONS = 12
NOTHING = py.Display(())
CHOSEN = PyName("i")


def all_tuples(base: int, bits: int) -> tuple[tuple[int, ...], ...]:
    """For every mask of so many bits the numbers of its bits, counted from `base`."""
    found: list[tuple[int, ...]] = [()]
    for bit in range(bits):
        found += [(*row, base + bit) for row in found]
    return tuple(found)


def halving(below: Callable[[int], PyExpr], starts: Sequence[int], bodies: dict[int, Lines]) -> Lines:
    """What belongs to the last of the starts that a number is not below; `starts` are in order."""
    if len(starts) == 1:
        return bodies[starts[0]]
    middle = len(starts) // 2
    lower, upper = (halving(below, half, bodies) for half in (starts[:middle], starts[middle:]))
    return [py.Branching(((below(starts[middle]), lower),), upper)]


@dataclass(frozen=True)
class Fragments:
    """Sequences of numbers that are always there, and those there under a condition: what an actor may do."""

    always: list[PyExpr]
    sometimes: list[tuple[PyExpr, list[PyExpr]]]


class Choices:
    """Actions are numbered; what is legal is put together from sequences of numbers, most of them ready-made."""

    def __init__(self, functions: Functions) -> None:
        self.functions = functions

    def legal(self, turn: PyExpr, groups: dict[int, list[Variant]]) -> Lines:
        """Two functions: all legal actions as a sequence of numbers, and one of them without making the sequence.

        `groups` are the variants of each actor; `turn` is whose turn it is.
        """
        listing: dict[int, Lines] = {}
        picking: dict[int, Lines] = {}
        for actor, variants in groups.items():
            emitter = self.functions.emitter()
            found = self.fragments(variants, emitter)
            listing[actor] = self.functions.reading(emitter, self._listing(found))
            picking[actor] = self.functions.reading(emitter, self._picking(found))
        actor_name = PyName("t")
        whose: Lines = [py.Store(actor_name, turn)] if len(groups) > 1 else []

        def by_actor(bodies: dict[int, Lines]) -> Lines:
            return [*whose, *halving(lambda bound: py.infix("<", actor_name, bound), list(groups), bodies)]

        return [
            py.FunctionDef(PyName("legal"), (DEALT, STATE), [py.branch(ENDED, py.gives(NOTHING)), *by_actor(listing)]),
            py.FunctionDef(PyName("pick"), (DEALT, STATE, PyName("u")), by_actor(picking)),
        ]

    def fragments(self, variants: list[Variant], emitter: Emitter) -> Fragments:
        """What is chosen from the same members is put into one table for each set of conditions that hold."""
        emitter.facts = []
        always: list[PyExpr] = []
        tests: dict[Expr, PyExpr] = {}
        sometimes: dict[Expr, list[PyExpr]] = {}
        chosen: dict[PyName, dict[Expr, list[Variant]]] = {}
        for variant in variants:
            if variant.hoisted != TRUE:
                tests.setdefault(variant.hoisted, emitter.truth(variant.hoisted))
            if variant.domain is not None and not variant.filters:
                members = emitter.slot(self.functions.layout.add_members(variant.domain.var, variant.domain.value))
                chosen.setdefault(members, {}).setdefault(variant.hoisted, []).append(variant)
                continue
            listed = always if variant.hoisted == TRUE else sometimes.setdefault(variant.hoisted, [])
            listed.append(self._fragment(variant, emitter))
        for members, by_test in chosen.items():
            several = [by_test] if len(by_test) <= MOST_TESTS else [{test: by_test[test]} for test in by_test]
            always += [self._choices(members, some, tests) for some in several]
        return Fragments(always, [(tests[test], listed) for test, listed in sometimes.items()])

    def _width(self, variant: Variant) -> int:
        """How many numbers there are for each member of the variant's domain."""
        return prod(type_size(param.type) for param in variant.free)

    def _choices(self, members: PyName, by_test: dict[Expr, list[Variant]], tests: dict[Expr, PyExpr]) -> PyExpr:
        """A sequence looked up by the number of members, in the table for the conditions that hold."""
        base = self.functions.codes.base
        every = [variant for variants in by_test.values() for variant in variants]
        most = max(type_size(variant.domain.param.type) for variant in every if variant.domain)

        def choose(asked: list[Expr], variants: list[Variant]) -> PyExpr:
            if asked:
                first, *rest = asked
                return py.ternary(choose(rest, variants + by_test[first]), tests[first], choose(rest, variants))
            rows = tuple(
                tuple(base[v.number] + i for v in variants for i in range(many * self._width(v)))
                for many in range(most + 1)
            )
            return self.functions.tables.constant("R", rows)

        table = choose([test for test in by_test if test != TRUE], by_test.get(TRUE, []))
        return py.subscript(table, py.apply("len", members))

    def _listing(self, found: Fragments) -> Lines:
        def joined(parts: list[PyExpr]) -> PyExpr:
            if len(parts) > 2:
                return py.Display(tuple(py.Prefix("*", part) for part in parts), is_list=True)
            return py.infix("+", *parts) if parts else NOTHING

        so_far, listed = joined(found.always), PyName("a")
        lines: Lines = []
        for place, (test, fragments) in enumerate(found.sometimes):
            # A sequence that is a list stays one; `[*a, …]` takes both.
            plain = place == 0 and len(found.always) <= 2
            more = fragments if plain else [*fragments, NOTHING]
            last = place == len(found.sometimes) - 1
            if last and plain:
                lines.append(py.branch(test, py.gives(joined([so_far, *more]))))
                break
            longer = joined([listed, *more])
            lines += [py.Store(listed, so_far), py.branch(test, py.gives(longer) if last else py.Store(listed, longer))]
            so_far = listed
        return [*lines, py.gives(so_far)]

    def _picking(self, found: Fragments) -> Lines:
        """One of the numbers of all fragments, which get names: `p0`, `p1`, and so on."""
        lines: Lines = [py.Store(PyName("p", place), fragment) for place, fragment in enumerate(found.always)]
        many = len(found.always)
        for test, fragments in found.sometimes:
            names = [PyName("p", many + place) for place in range(len(fragments))]
            many += len(fragments)
            there = [py.Store(name, fragment) for name, fragment in zip(names, fragments, strict=True)]
            lines.append(py.Branching(((test, there),), [py.Store(names[0], NOTHING, tuple(names[1:]))]))
        if not many:
            return [py.Simple("raise IndexError")]
        pieces = [PyName("p", place) for place in range(many)]
        total = py.infix("+", *(py.apply("len", piece) for piece in pieces))
        lines.append(py.Store(CHOSEN, py.apply("int", py.infix("*", PyName("u"), total))))
        for piece in pieces[:-1]:
            length = py.apply("len", piece)
            lines.append(py.branch(py.infix("<", CHOSEN, length), py.gives(py.subscript(piece, CHOSEN))))
            lines.append(py.InPlaceStore(CHOSEN, "-", length))
        return [*lines, py.gives(py.subscript(pieces[-1], CHOSEN))]

    def _fragment(self, variant: Variant, emitter: Emitter) -> PyExpr:
        """A sequence with the numbers of the variant's legal instances."""
        base = self.functions.codes.base[variant.number]
        if variant.domain is None and not variant.filters:
            return self.functions.tables.constant("L", tuple(base + i for i in range(self._width(variant))))
        options = self.options_slot(variant)
        return emitter.slot(options) if options else self._comprehension(variant, emitter, base)

    def options_slot(self, variant: Variant) -> PyName | None:
        """The slot that lists the variant's legal instances, if its one filter asks for some member of a value."""
        if variant.domain is not None or len(variant.free) != 1 or len(variant.filters) != 1:
            return None
        free = variant.free[0]
        found = existence(variant.filters[0], free, self.functions.layout)
        if found is None or type_size(free.type) > MOST_OPTIONS:
            return None
        tables = self.functions.tables
        of_face = tables.profile_of_face(found.relation, found.binder, free)
        base = self.functions.codes.base[variant.number]
        lists = tables.constant("H", all_tuples(base, type_size(free.type)), base)
        return self.functions.layout.add_options(found.var, found.value, of_face, lists)

    def _comprehension(self, variant: Variant, emitter: Emitter, base: int) -> PyExpr:
        loops: list[tuple[PyExpr, PyExpr]] = []
        digits: list[tuple[PyExpr, Type]] = []
        domain = variant.domain
        if domain is not None:
            members = emitter.slot(self.functions.layout.add_members(domain.var, domain.value))
            position, card = emitter.fresh(), emitter.bind(domain.param)
            loops.append((py.display([position, card]), py.apply("enumerate", members)))
            digits.append((position, domain.param.type))
        for param in variant.free:
            name = emitter.bind(param)
            loops.append((name, py.values_of(param.type)))
            digits.append((name, param.type))
        test = py.infix("and", *map(emitter.truth, variant.filters))
        number = py.infix("+", base, py.numbered(digits))
        return py.apply("tuple", py.Comprehension(number, tuple(loops), test, is_list=True))
