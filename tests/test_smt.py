"""The solver's terms, evaluated at states of deep games, say what the executor says."""

from __future__ import annotations

import copy
import io
import re
import tokenize
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
import z3

import hanabi_formal
from hanabi_formal.formats.deals import shuffled
from hanabi_formal.run.compiler.compile import Compiled
from term_laws import SAMPLE, Comparison
from term_reading import source
from term_reading.evaluate import Evaluator, quotient, remainder
from term_reading.general import GeneralTerms
from term_reading.ground import GroundTerms

GAMES = Path(__file__).parent / "games"


@dataclass(frozen=True)
class Table:
    """A specification, how many steps of its games are compared, and the ends that these games come to."""

    spec: str
    players: int | None
    steps: int
    ends: str
    rulings: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return f"{Path(self.spec).name} {self.players or ''} {'ruled' if self.rulings else ''}".strip()

    def compiled(self) -> Compiled:
        return hanabi_formal.load(self.spec, rulings=dict(self.rulings)).compiled(self.players)


RULED = (
    ("take_token", "may"),
    ("draw_on_end", "yes"),
    ("empty_hint", "refused"),
    ("discard_at_full", "allowed"),
    ("loss_score", "sum"),
    ("stuck", "skipped"),
    ("perfect_in_last_round", "plays_on"),
    ("draw_after_fit", "no"),
)
RULED_TOO = (("draw_after_fit", "no"), ("announced_but_misfit", "misfit_and_token"), ("announce_multi", "any_colour"))
TABLES = (
    Table("base", 2, 1400, "strikes perfect last_round"),
    Table("base", 5, 1200, "strikes last_round", RULED),
    Table("nl", 3, 1200, "strikes perfect last_round"),
    Table("rainbow", 5, 1200, "strikes perfect last_round"),
    Table("avalanche+expert+timed", 4, 1200, "strikes indispensable perfect"),
    Table("hanab_live", 6, 1200, "abandoned strikes perfect last_round hopeless"),
    Table("hanab_live", 2, 1200, "strikes perfect last_round hopeless", (("deck_plays", "on"),)),
    Table("timed+rainbow", 3, 1200, "strikes", RULED_TOO),
    Table(str(GAMES / "solitaire.hrl"), None, 400, "stuck complete"),
    Table(str(GAMES / "tricks.hrl"), 3, 400, ""),
)


@pytest.mark.parametrize("table", TABLES, ids=str)
@pytest.mark.sampled(4)
def test_terms_agree_with_the_executor(table: Table) -> None:
    compiled = table.compiled()
    tally = Comparison(compiled, GeneralTerms(compiled.system)).run(table.steps)
    assert tally.steps == table.steps
    assert tally.sampled == -(-table.steps // SAMPLE)
    assert tally.counts > 0
    assert tally.refused > tally.steps
    assert set(table.ends.split()) <= set(tally.ends), tally
    assert 0 < tally.at_once <= sum(tally.ends.values()), tally


def test_ten_thousand_steps() -> None:
    assert sum(table.steps for table in TABLES) >= 10_000


# ---- the quick evaluator ------------------------------------------------------------------------------
@cache
def base() -> Compiled:
    return hanabi_formal.load("base").compiled(2)


@cache
def base_terms() -> GeneralTerms:
    return GeneralTerms(base().system)


NUMBERS: list[Callable[..., Any]] = [
    lambda a, b, p, q: a + b,
    lambda a, b, p, q: a - b,
    lambda a, b, p, q: (a % 5) * (b % 7),
    lambda a, b, p, q: -a,
    lambda a, b, p, q: a % 6,
    lambda a, b, p, q: a / 4,
    lambda a, b, p, q: z3.If(p, a, b),
    lambda a, b, p, q: a % (b % 9 - 12),
    lambda a, b, p, q: z3.Sum([a, b, a]),
    lambda a, b, p, q: a / (b % 3 + 1),
]
CONDITIONS: list[Callable[..., Any]] = [
    lambda a, b, p, q: a == b,
    lambda a, b, p, q: a % 3 <= b % 3,
    lambda a, b, p, q: a % 3 < b % 3,
    lambda a, b, p, q: a % 3 >= b % 3,
    lambda a, b, p, q: a % 3 > b % 3,
    lambda a, b, p, q: z3.And(p, q, a < b),
    lambda a, b, p, q: z3.Or(p, q),
    lambda a, b, p, q: z3.Not(p),
    lambda a, b, p, q: z3.Implies(p, q),
    lambda a, b, p, q: p == q,
    lambda a, b, p, q: z3.Xor(p, q),
    lambda a, b, p, q: z3.Distinct(a % 3, b % 3),
    lambda a, b, p, q: z3.If(p, q, a > b),
    lambda a, b, p, q: z3.And(),
    lambda a, b, p, q: z3.Or(),
]


def random_terms(terms: GeneralTerms, random: Random) -> list[Any]:
    """Terms of every operator over the variables of a system and over each other."""
    numbers = [z3.IntVal(value) for value in (-3, 0, 1, 2, 7)]
    numbers += [function() for function in terms.variables.values() if not function.arity()]
    conditions = [z3.BoolVal(True), z3.BoolVal(False)]
    maps = [*NUMBERS, *(lambda a, b, p, q, f=f: f(a % 60 - 5) for f in terms.attributes.values())]
    for _ in range(60):
        given = (
            random.choice(numbers[-12:]),
            random.choice(numbers),
            random.choice(conditions[-8:]),
            random.choice(conditions),
        )
        numbers.append(random.choice(maps)(*given))
        conditions.append(random.choice(CONDITIONS)(*given))
    return [*numbers, *(z3.If(condition, 1, 0) for condition in conditions)]


def differs(seeds: range) -> bool:
    """Do the two evaluators come to different values of any of many random terms?"""
    compiled = base()
    faces = shuffled(compiled.system, "random terms")
    state = compiled.snapshot(compiled.start(compiled.deal(list(faces))))
    for seed in seeds:
        terms = copy.copy(base_terms())
        terms.actions = ()
        total: Any = z3.IntVal(0)
        for term in random_terms(terms, Random(f"terms {seed}")):
            total = total * 1000 + z3.If(z3.And(term > -400, term < 400), term, term % 397)
        terms.score = total
        quick = Evaluator(terms).at(state, faces)
        if GroundTerms(terms).at(state, faces, quick.counts).score != quick.score:
            return True
    return False


def test_the_quick_evaluator_is_the_solvers() -> None:
    assert not differs(range(12))


OPERATORS = [
    (z3.Z3_OP_AND, " or "),
    (z3.Z3_OP_OR, " and "),
    (z3.Z3_OP_ADD, " - "),
    (z3.Z3_OP_SUB, " + "),
    (z3.Z3_OP_MUL, " + "),
    (z3.Z3_OP_EQ, " != "),
    (z3.Z3_OP_LE, " < "),
    (z3.Z3_OP_LT, " <= "),
    (z3.Z3_OP_GE, " > "),
    (z3.Z3_OP_GT, " >= "),
    (z3.Z3_OP_IDIV, " % "),
    (z3.Z3_OP_MOD, " // "),
    (z3.Z3_OP_XOR, " == "),
    (z3.Z3_OP_DISTINCT, " == "),
]


@pytest.mark.parametrize(("kind", "wrong"), OPERATORS)
def test_an_operator_misread_is_noticed(kind: int, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(source.BETWEEN, kind, wrong)
    assert differs(range(12))


def test_division_is_the_solvers() -> None:
    for number in range(-9, 10):
        for divisor in (-4, -3, -1, 1, 2, 5):
            term = z3.IntVal(number) / divisor, z3.IntVal(number) % divisor
            assert [z3.simplify(part).as_long() for part in term] == [
                quotient(number, divisor),
                remainder(number, divisor),
            ]


def test_generated_source_has_no_name_of_the_game() -> None:
    text = Evaluator(GeneralTerms(hanabi_formal.load("hanab_live").system(2))).source
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    assert {token.type for token in tokens}.isdisjoint({tokenize.STRING, tokenize.COMMENT})
    names = {token.string for token in tokens if token.type == tokenize.NAME}
    own = re.compile(r"(act|[cfmrtx])\d+|OUTSIDE|asked|at|inputs|many|append|get|range|tuple|quotient|remainder")
    python = {"def", "return", "if", "else", "for", "in", "is", "not", "and", "or", "None", "True", "False"}
    assert {name for name in names if not own.fullmatch(name)} <= python


def test_what_is_not_read_is_refused() -> None:
    terms = copy.copy(base_terms())
    terms.score = z3.ToInt(z3.ToReal(terms.score) / 2)
    with pytest.raises(source.Unreadable):
        Evaluator(terms)
