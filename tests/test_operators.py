"""The table of operators against what does not read it: brute force, Z3, Python as the executor uses it, the language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
import z3

from executor_laws import write_game
from hanabi_formal.kernel.build import arith, number
from hanabi_formal.kernel.expr import Lit, Op
from hanabi_formal.kernel.operators import (
    ARITHMETIC,
    BINARY,
    COMPARISONS,
    QUANTIFIERS,
    SIGNS,
    Arithmetic,
    ArithmeticMeaning,
    ComparisonMeaning,
    Operator,
    Quantifier,
)
from hanabi_formal.run.interpret import Interpreter
from hanabi_formal.smt.counts import GroundCounts
from hanabi_formal.smt.terms import whole
from hanabi_formal.smt.translate import Translator
from naive_encoder.naive import COMPUTE

NUMBERS = range(-4, 5)
INTERVALS = [(low, high) for low in NUMBERS for high in NUMBERS if low <= high]
DIVISORS = (1, 2, 3, 4)


def seconds(name: str) -> Any:
    """What may stand on the right: the language divides by positive numbers only."""
    return DIVISORS if name in ("div", "mod") else NUMBERS


def second_intervals(name: str) -> list[tuple[int, int]]:
    return [(by, by) for by in DIVISORS] if name in ("div", "mod") else INTERVALS


# ---- what they are on numbers ----------------------------------------------------------------------
GAME = """game operators {{
  range Small = -4..4
  var done : Bool
  start {{ done = false }}
  action go() {{ done' = true }}
  end over over when done
  score = sum({body} for a : Small)
}}
"""


def in_z3(system: Any, name: Operator, a: int, b: int) -> int:
    term = z3.simplify(Translator(system, GroundCounts())._operate(name, [whole(a), whole(b)]))
    return int(z3.is_true(term)) if z3.is_bool(term) else int(term.as_long())


@pytest.mark.parametrize("name", BINARY)
def test_terms_and_the_second_encoder_mean_the_same(name: Operator, tmp_path: Any) -> None:
    system = write_game(tmp_path, GAME.format(body="a")).system()
    for a, b in product(NUMBERS, seconds(name)):
        assert BINARY[name](a, b) == in_z3(system, name, a, b) == COMPUTE[name](a, b), (name, a, b)


@pytest.mark.parametrize("name", BINARY)
def test_rules_that_are_compiled_mean_the_same(name: Operator, tmp_path: Any) -> None:
    """Weighed so that a value at one pair cannot make up for the value at another."""
    shown = f"(a {SIGNS[name]} {{}})" if name in SIGNS else f"{name}(a, {{}})"
    for b in (2, 3):
        told = shown.format(b) if name in ARITHMETIC else f"(if {shown.format(b)} then 1 else 0)"
        weighed = " + ".join(f"(if a == {a} then {20 ** (a + 4)} * ({told}) else 0)" for a in NUMBERS)
        compiled = write_game(tmp_path, GAME.format(body=weighed)).compiled()
        expected = sum(20 ** (a + 4) * BINARY[name](a, b) for a in NUMBERS)
        dealt = compiled.deal([])
        assert compiled.score(dealt, compiled.start(dealt)) == expected
        interpreter = Interpreter(compiled.system)
        assert interpreter.score(interpreter.start(()), ()) == expected


def test_division_is_that_of_the_language() -> None:
    """As `docs/language.md` has it; folded at once, so by the table alone."""
    assert [arith("div", number(a), number(2)) for a in (7, -7)] == [number(3), number(-4)]
    assert [arith("mod", number(a), number(3)) for a in (7, -7)] == [number(1), number(2)]


# ---- type rules ------------------------------------------------------------------------------------
def wrong_intervals(table: Mapping[Any, ArithmeticMeaning]) -> list[str]:
    """Where an interval is not just the least and the greatest that come out; that of a remainder may be wider."""
    found = []
    for name, meaning in table.items():
        for left, right in product(INTERVALS, second_intervals(name)):
            values = [meaning.apply(a, b) for a in span(left) for b in span(right)]
            low, high = meaning.interval(left, right)
            exact = (low, high) == (min(values), max(values))
            if not (low <= min(values) and max(values) <= high if name == "mod" else exact):
                found.append(f"{name} of {left} and {right}")
    return found


def wrong_decisions(table: Mapping[Any, ComparisonMeaning]) -> list[str]:
    found = []
    for name, meaning in table.items():
        for left, right in product(INTERVALS, INTERVALS):
            values = {meaning.apply(a, b) for a in span(left) for b in span(right)}
            decided = meaning.decided(left, right)
            sure = values == {int(decided)} if decided is not None else len(values) == 2
            if not sure and not (name == "eq" and decided is None):
                found.append(f"{name} of {left} and {right}")
    return found


def span(interval: tuple[int, int]) -> range:
    return range(interval[0], interval[1] + 1)


def test_type_rules_by_brute_force() -> None:
    assert wrong_intervals(ARITHMETIC) == []
    assert wrong_decisions(COMPARISONS) == []


@pytest.mark.parametrize("kind", QUANTIFIERS)
def test_type_rules_of_quantifiers(kind: Quantifier) -> None:
    meaning = QUANTIFIERS[kind]
    bodies = [(0, 0), (0, 1), (1, 1)] if kind in ("exists", "forall", "count") else INTERVALS[:20]
    for body, many in product(bodies, (1, 2, 3)):
        values = {int(meaning.apply(values)) for values in product(span(body), repeat=many)}
        low, high = meaning.interval(body, many) if meaning.interval is not None else (0, 1)
        assert low <= min(values)
        assert max(values) <= high
        assert kind not in ("sum", "min", "max") or (low, high) == (min(values), max(values))


@pytest.mark.parametrize("name", ARITHMETIC)
def test_units_change_nothing(name: Arithmetic) -> None:
    meaning = ARITHMETIC[name]
    for value in NUMBERS:
        assert meaning.right_unit is None or meaning.apply(value, meaning.right_unit) == value
        assert meaning.left_unit is None or meaning.apply(meaning.left_unit, value) == value


# ---- mistakes that the tests above would see -------------------------------------------------------
def toward_zero(a: int, b: int) -> int:
    return abs(a) // b * (1 if a >= 0 else -1)


WRONG_RULES: dict[str, Callable[[], list[str]]] = {
    "division toward zero": lambda: wrong_intervals({"div": replace(ARITHMETIC["div"], apply=toward_zero)}),
    "a difference as a sum": lambda: wrong_intervals({"sub": replace(ARITHMETIC["add"], apply=BINARY["sub"])}),
    "a remainder that fits": lambda: wrong_intervals({"mod": replace(ARITHMETIC["mod"], interval=lambda a, b: a)}),
    "less for less or equal": lambda: wrong_decisions({"lt": replace(COMPARISONS["le"], apply=BINARY["lt"])}),
    "equal if it may be": lambda: wrong_decisions({"eq": replace(COMPARISONS["eq"], decided=lambda a, b: True)}),
}


@pytest.mark.parametrize("name", WRONG_RULES)
def test_a_wrong_type_rule_is_noticed(name: str) -> None:
    assert WRONG_RULES[name]() != []


def test_what_is_divided_otherwise_is_noticed(tmp_path: Any) -> None:
    system = write_game(tmp_path, GAME.format(body="a")).system()
    assert any(toward_zero(a, b) != in_z3(system, "div", a, b) for a, b in product(NUMBERS, DIVISORS))


def test_folding_takes_the_meaning_from_the_table() -> None:
    for name, a, b in product(ARITHMETIC, NUMBERS, DIVISORS):
        folded = arith(name, number(a), number(b))
        assert isinstance(folded, Lit)
        assert folded.value == ARITHMETIC[name].apply(a, b)


def test_a_one_that_is_multiplied_by_stays() -> None:
    """The identities of known rules rest on it."""
    op = Op("min", (number(1), number(2)), number(1).type)
    assert arith("mul", op, number(1)) == Op("mul", (op, number(1)), number(1).type)
