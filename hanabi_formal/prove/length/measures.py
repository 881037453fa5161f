"""Numbers that a state is measured by, and weighted sums of them that bound how many actions a game still has.

A weighted sum may change its weights where a variable is at its least or its most: such a condition is a switch, and
a term may be there only while some switches are on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import floor, lcm

from hanabi_formal.kernel.build import TRUE, arith, conj, equal, ite, number
from hanabi_formal.kernel.expr import Expr, Get, Op, vars_in
from hanabi_formal.kernel.printer import Printer
from hanabi_formal.kernel.system import PropertyKind, System
from hanabi_formal.kernel.types import BOOL, IntType, type_values
from hanabi_formal.prove.induction.initial_state import AtStart
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState

ONE = number(1)
MOST_SWITCHES = 2
WEIGHT = re.compile(r"-?[0-9]{1,30}(/[0-9]{1,30})?")
RankingWeights = Mapping[str, int | str]


@dataclass(frozen=True)
class MeasuredState:
    """The numbers and the switches (0 or 1) of one state."""

    numbers: tuple[int, ...]
    switches: tuple[int, ...]


@dataclass(frozen=True)
class MeasureTerm:
    """A number, while all of these switches are on."""

    switches: tuple[int, ...]
    number: int


@dataclass(frozen=True)
class Measures:
    """What states are measured by. The first number is always 1."""

    numbers: tuple[Expr, ...]
    switches: tuple[Expr, ...]

    def terms(self, switches: tuple[int, ...]) -> list[MeasureTerm]:
        """What can be weighed when these switches are used; a number that a switch fixes is not weighed with it on."""
        found = []
        for many in range(len(switches) + 1):
            for on in combinations(switches, many):
                fixed = [node for switch in on for node in _fixed(self.switches[switch])]
                found += [MeasureTerm(on, n) for n, expr in enumerate(self.numbers) if expr not in fixed]
        return found

    def value(self, term: MeasureTerm, reading: MeasuredState) -> int:
        return reading.numbers[term.number] if all(reading.switches[on] for on in term.switches) else 0

    def expr(self, term: MeasureTerm) -> Expr:
        return ite(conj(*(self.switches[on] for on in term.switches)), self.numbers[term.number], number(0))

    def name(self, term: MeasureTerm) -> str:
        return Printer().expr(self.expr(term))


@dataclass(frozen=True)
class Candidate:
    """A weighted sum. If every step lowers it by one at least, and it is one or more before each, it bounds games."""

    measures: Measures
    weights: tuple[tuple[MeasureTerm, Fraction], ...]

    @property
    def scale(self) -> int:
        return lcm(*(weight.denominator for _, weight in self.weights))

    @property
    def expr(self) -> Expr:
        """The sum, times `scale`: whole numbers only."""
        total: Expr = number(0)
        for term, weight in self.weights:
            total = arith("add", total, arith("mul", number(int(weight * self.scale)), self.measures.expr(term)))
        return total

    def at(self, reading: MeasuredState) -> int:
        return floor(sum(weight * self.measures.value(term, reading) for term, weight in self.weights))

    def named(self) -> RankingWeights:
        return {
            self.measures.name(term): int(weight) if weight.denominator == 1 else str(weight)
            for term, weight in self.weights
        }


def candidate_of(measures: Measures, named: RankingWeights) -> Candidate | None:
    """Weights that were written down, if every name means something here."""
    terms: dict[str, MeasureTerm] = {}
    for many in range(MOST_SWITCHES + 1):
        for switches in combinations(range(len(measures.switches)), many):
            terms |= {measures.name(term): term for term in measures.terms(switches)}
    try:
        if not all(WEIGHT.fullmatch(str(weight)) for weight in named.values()):
            return None
        return Candidate(measures, tuple((terms[name], Fraction(weight)) for name, weight in named.items()))
    except (KeyError, ValueError, ZeroDivisionError, TypeError):
        return None


def _fixed(switch: Expr) -> tuple[Expr, ...]:
    return switch.args if isinstance(switch, Op) and switch.op == "eq" else ()


def measures_of(system: System) -> Measures:
    """The numbers of the rankings and the plain numbers of the state, with the ends of their ranges as switches."""
    scalars = [Get(v.name, (), v.type) for v in system.variables if not v.index and not v.is_record]
    counted = [scalar for scalar in scalars if isinstance(scalar.type, IntType)]
    ranked = [expr for prop in system.properties if prop.kind == PropertyKind.TERMINATES for expr in prop.exprs]
    numbers = sorted(dict.fromkeys([ONE, *counted, *ranked]), key=lambda expr: not is_plain(expr, system))
    switches: list[Expr] = [scalar for scalar in scalars if scalar.type == BOOL]
    for scalar in counted:
        values = type_values(scalar.type)
        switches += [equal(scalar, number(values[0])), equal(scalar, number(values[-1]))]
    return Measures(tuple(numbers), tuple(switch for switch in switches if switch != TRUE))


def is_plain(expr: Expr, system: System) -> bool:
    """Is it a matter of single variables?"""
    return not any(var.index for var in system.variables if var.name in vars_in(expr))


def without_maps(measures: Measures, system: System) -> Measures:
    """Only what is a matter of single variables: much easier for a solver, and often enough. They come first."""
    return Measures(tuple(expr for expr in measures.numbers if is_plain(expr, system)), measures.switches)


def known_at_start(measures: Measures, system: System, first: MeasuredState) -> Measures:
    """Those that have in the first state of every deal the value that they have in this one."""
    start = AtStart(system)
    numbers = zip(measures.numbers, first.numbers, strict=True)
    switches = zip(measures.switches, first.switches, strict=True)
    return Measures(
        tuple(expr for expr, value in numbers if start.holds(equal(expr, number(value)))),
        tuple(expr for expr, value in switches if start.holds(expr) is bool(value)),
    )


class Meter:
    """Reads the measures of states as they are played."""

    def __init__(self, compiled: Compiled, measures: Measures) -> None:
        self._numbers = [compiled.measure(expr) for expr in measures.numbers]
        self._switches = [compiled.predicate(expr) for expr in measures.switches]

    def read(self, dealt: Dealt, state: PackedState) -> MeasuredState:
        numbers = tuple(measure(dealt, state) for measure in self._numbers)
        return MeasuredState(numbers, tuple(int(bool(switch(dealt, state))) for switch in self._switches))
