"""Faults put into the compiler on purpose: the law that holds it to the interpreter finds every one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from executor_laws import Table, by_chance, deal_of, write_game
from hanabi_formal.kernel.expr import locals_in
from hanabi_formal.kernel.system import Case
from hanabi_formal.run.compiler import action_variants as variants
from hanabi_formal.run.compiler import (
    assignments,
    blocks,
    choices,
    compile,
    emit,
    functions,
    playout,
    quantifiers,
    steps,
)
from hanabi_formal.run.compiler import lookup_tables as tables
from hanabi_formal.run.compiler.blocks import BlockEmitter, EndTest
from hanabi_formal.run.compiler.code import PyExpr, PyName, Simple, infix
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.run.compiler.emit import Emitter
from hanabi_formal.run.compiler.functions import Functions
from hanabi_formal.run.compiler.lookup_tables import Tables
from hanabi_formal.run.compiler.playout import InPlace
from hanabi_formal.run.compiler.steps import Steps
from small_games import text_of

Patch = pytest.MonkeyPatch


@dataclass(frozen=True)
class Mutant:
    """What is done to the compiler, and a small game that shows it."""

    name: str
    owner: Any
    attribute: str
    change: Callable[[Any], Any]
    game: str

    def apply(self, patch: Patch) -> None:
        before = getattr(self.owner, self.attribute, None)
        patch.setattr(self.owner, self.attribute, self.change(before), raising=before is not None)


def always(value: Any) -> Callable[[Any], Any]:
    """Whatever is asked, the same answer."""
    return lambda _: lambda *_args, **_named: value


def nothing_noted(_: Any) -> Any:
    return lambda self, emit: emit()


def other_plane(before: Any) -> Any:
    return lambda self, move, value, *rest: before(self, move, (value + 1) % len(move.kept.slots), *rest)


def next_position(before: Any) -> Any:
    return lambda self, move, value, at=None: before(self, move, value, at and infix("+", at, 1))


def without_first_line(before: Any) -> Any:
    return lambda *args: before(*args)[1:]


def first_plane(before: Any) -> Any:
    return lambda self, move, possible: before(self, move, possible[:1])


def one_short(before: Any) -> Any:
    """Nobody is the last individual."""

    def mask(self: Any, body: Any, binder: Any) -> PyExpr | None:
        found: PyExpr | None = before(self, body, binder)
        return None if found is None else infix("&", found, (1 << binder.type.size) - 1 >> 1)

    return mask


def ends_when(keep: Callable[[Any, bool], bool]) -> Callable[[Any], Any]:
    def change(before: Any) -> Any:
        def ends(self: Any, emitter: Any, late: bool, now: set[PyName], since: set[PyName]) -> list[EndTest]:
            found = before(self, emitter, late, now, since)
            return [test for test in found if keep(self.system.ends[test.number - 1], late)]

        return ends

    return change


def only_now(before: Any) -> Any:
    return lambda self, emitter, late, now, since: before(self, emitter, late, now, set())


def without_last(before: Any) -> Any:
    def fewer(*args: Any) -> Any:
        found = before(*args)
        return found and found[:-1]

    return fewer


def without_filters(before: Any) -> Any:
    return lambda parts, names, system: (before(parts, names, system)[0], [])


def all_but_the_last(before: Any) -> Any:
    return lambda parts, names, system: before(parts[:-1], names, system)


def first_code(before: Any) -> Any:
    return lambda self, variant, emitter, step: before(self, variant, emitter, replace(step, code=steps.ACTION))


class Forgetful(set[PyName]):
    """A set that nothing is in."""

    def __contains__(self, _: object) -> bool:
        return False


def never_shifted(before: Any) -> Any:
    return lambda: before(shifted=Forgetful())


def other_extremum(before: Any) -> Any:
    return lambda op, left, right: before({"min": "max", "max": "min"}[op], left, right)


def no_conditions(before: Any) -> Any:
    def union(self: Any, args: tuple[Any, ...], binder: Any, full: int) -> PyExpr | None:
        bound = tuple(arg for arg in args if binder.name in locals_in(arg))
        found: PyExpr | None = before(self, bound, binder, full)
        return found

    return union


def next_row(before: Any) -> Any:
    def relation(self: Any, body: Any, binder: Any, inputs: Any) -> Any:
        rows = before(self, body, binder, inputs)
        return (*rows[1:], rows[0])

    return relation


def later_numbers(before: Any) -> Any:
    return lambda base, bits: before(base + 1, bits)


def never_ended(before: Any) -> Any:
    def start(self: Any, initial: Any) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(self, "ends", lambda *_: [])
            return before(self, initial)

    return start


def always_nested(_: Any) -> Any:
    """Ends are asked in the first case that writes what they read, whatever else does."""

    def where(self: Any, test: EndTest, block: Any, path: tuple[int, ...]) -> int | None:
        cases = [i for i, statement in enumerate(block) if isinstance(statement, Case)]
        return next((i for i in cases if self._written_at[*path, i] & test.reads), None)

    return where


def last_end(before: Any) -> Any:
    """Ends asked inside a case do not look whether another has come."""

    return lambda self, tests, others=True: before(self, tests, False)


def first_actor(before: Any) -> Any:
    """Every variant is looked up as if it were the first actor's."""

    def decode(self: Compiled, state: Any, code: int) -> Any:
        first = {number: variant for (number, _), variant in reversed(self._by_number.items())}
        kept = self._by_number
        self._by_number = {(number, actor): first[number] for number, actor in kept}
        try:
            return before(self, state, code)
        finally:
            self._by_number = kept

    return decode


def one_more(before: Any) -> Any:
    return lambda tests, first, *last: before(tests, first + 1, *last)


def last_field_first(before: Any) -> Any:
    def field_of(kind: Any, constructor: int, place: int, value: PyExpr) -> Any:
        return before(kind, constructor, len(kind.constructors[constructor].fields) - 1 - place, value)

    return field_of


def at_end(_: Any) -> Any:
    return lambda members, one: (*members, one)


def never(_: Any) -> Any:
    return property(lambda self: False, lambda self, value: None)


MUTANTS = [
    # Simultaneity
    Mutant("what is read later is not kept aside", BlockEmitter, "_noting", nothing_noted, "swap"),
    Mutant("a loop is tried only once", BlockEmitter, "_is_trial", never, "swap_in_a_tuple"),
    Mutant("nothing is watched for a second write", BlockEmitter, "_watch", always([]), "tuple_written_twice"),
    Mutant("writes in a loop never meet", blocks, "meeting", always(frozenset()), "scalar_written_twice_in_a_loop"),
    Mutant("bounds are not tested", BlockEmitter, "_check_bounds", always([]), "masks_leave_their_bounds"),
    # Cards that move
    Mutant("the wrong mask is left", BlockEmitter, "_leave", other_plane, "usual_turns"),
    Mutant("the old mask is not left", BlockEmitter, "_leave", without_first_line, "usual_turns"),
    Mutant("the wrong member is left out", BlockEmitter, "_leave", next_position, "a_free_parameter_besides_a_card"),
    Mutant("members that came shift nobody", assignments, "Writes", never_shifted, "a_smaller_card_comes_first"),
    Mutant("members are not sorted", compile, "_including", at_end, "a_smaller_card_comes_first"),
    Mutant(
        "those who leave stay members",
        compile,
        "_without",
        lambda _: lambda members, _one: members,
        "cards_chosen_from_the_first_value",
    ),
    Mutant("a loop brings at most one", steps, "in_loop", always(False), "many_cards_come_at_once"),
    Mutant("the slow step is another", Steps, "_parts", first_code, "cards_from_elsewhere_with_a_free_parameter"),
    Mutant(
        "who is chosen comes from the first value",
        BlockEmitter,
        "_leave_one_of",
        first_plane,
        "cards_chosen_from_anywhere",
    ),
    Mutant(
        "others among the members are not taken out",
        BlockEmitter,
        "_slowly",
        always(Simple("pass")),
        "cards_known_to_be_elsewhere",
    ),
    Mutant(
        "relations are written once",
        blocks,
        "is_written_once",
        always(True),
        "relation_written_twice_with_other_values",
    ),
    Mutant("options are not renewed", steps, "option_lines", always([]), "options_of_members"),
    Mutant("options are numbered from one", choices, "all_tuples", later_numbers, "options_of_members"),
    # Ends
    Mutant("late ends are skipped", Functions, "ends", ends_when(lambda end, _: not end.late), "late_ends"),
    Mutant("early ends wait", Functions, "ends", ends_when(lambda _, late: late), "late_ends"),
    Mutant("late ends see the second part only", Functions, "ends", only_now, "late_ends"),
    Mutant("ends at the start are skipped", Functions, "start", never_ended, "ends_at_the_start"),
    Mutant(
        "ends are asked where not all is written", BlockEmitter, "_where_to_ask", always_nested, "ends_within_cases"
    ),
    Mutant("the last of several ends counts", BlockEmitter, "_ends", last_end, "ends_within_cases"),
    # Whole games
    Mutant("a playout takes the first", compile, "floor", always(0), "usual_turns"),
    Mutant("members in place are not sorted", compile, "insort", lambda _: list.append, "a_smaller_card_comes_first"),
    Mutant("members in place stay", InPlace, "_taking_out", always(Simple("pass")), "usual_turns"),
    Mutant("others are not looked for", InPlace, "_leave_rarely", always([]), "cards_from_elsewhere"),
    Mutant(
        "ends that are rare are skipped", InPlace, "_leave_rarely", without_first_line, "ends_by_cards_from_elsewhere"
    ),
    # What is legal
    Mutant("filters are dropped", variants, "_sorted_out", without_filters, "guards_that_filter_cards"),
    Mutant("the last condition is dropped", variants, "_sorted_out", all_but_the_last, "no_cards"),
    Mutant("the actor never moves", variants, "assignments", always(()), "actor_changed_in_the_first_part"),
    Mutant("all actors choose alike", Compiled, "decode", first_actor, "cards_that_only_some_actors_must_hold"),
    Mutant(
        "all tests of a domain are one",
        variants,
        "_is_domain_test",
        lambda _: lambda part, domain, layout: variants._domain(layout, [part], [domain.param]) is not None,
        "guards_about_one_card_that_exclude_each_other",
    ),
    # Expressions
    Mutant("masks are one short", Emitter, "mask", one_short, "bool_map_over_cards"),
    Mutant("quantifiers miss the last value", quantifiers, "instances", without_last, "map_as_tuple"),
    Mutant("min is max", emit, "extremum", other_extremum, "ends_within_cases"),
    Mutant("conditions of a union are lost", Emitter, "_union", no_conditions, "fields_that_are_not_there"),
    Mutant("everything fits its type", emit, "fits", always(True), "no_such_card"),
    Mutant("everything is total", quantifiers, "is_total", always(True), "faults_that_are_not_reached"),
    Mutant("rows of tables are shifted", Tables, "relation", next_row, "options_of_members"),
    Mutant("values are numbered from one", emit, "search", one_more, "sums_and_extrema_over_cards"),
    Mutant("fields are read the other way round", emit, "field_of", last_field_first, "unions_with_two_fields"),
    Mutant(
        "tables of choices are one row late",
        choices,
        "range",
        lambda _: lambda *args: range(*args) if len(args) > 1 else range(max(0, args[0] - 1)),
        "usual_turns",
    ),
]


def difference(game: str, folder: Path) -> Exception | None:
    """What the law says against the compiler, on a few games of one kind."""
    try:
        compiled = write_game(folder, text_of(game)).compiled()
        for seed in range(2):
            Table(compiled, deal_of(compiled, seed), by_chance(seed)).explore(60)
            Table(compiled, deal_of(compiled, seed), by_chance(seed)).play(20)
    except (AssertionError, ArithmeticError, LookupError, NameError, SyntaxError, TypeError, ValueError) as found:
        return found
    return None


@pytest.mark.parametrize("game", sorted({mutant.game for mutant in MUTANTS}))
def test_the_compiler_as_it_is(game: str, tmp_path: Path) -> None:
    assert difference(game, tmp_path) is None


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_mutants_are_found(mutant: Mutant, tmp_path: Path, monkeypatch: Patch) -> None:
    mutant.apply(monkeypatch)
    assert difference(mutant.game, tmp_path) is not None


def test_most_mutants_are_found_by_comparison(tmp_path: Path) -> None:
    """Not by a crash: the executor gives an answer, and it is another one."""
    compared = 0
    for mutant in MUTANTS:
        with pytest.MonkeyPatch.context() as patch:
            mutant.apply(patch)
            compared += isinstance(difference(mutant.game, tmp_path), AssertionError)
    assert compared >= len(MUTANTS) * 3 // 4


def test_there_are_mutants_of_every_part() -> None:
    assert len(MUTANTS) >= 12
    parts = (assignments, blocks, choices, compile, emit, functions, playout, quantifiers, steps, tables, variants)
    owners = {getattr(mutant.owner, "__module__", None) or mutant.owner.__name__ for mutant in MUTANTS}
    assert {part.__name__ for part in parts} <= owners
