"""The lightest weights that satisfy what is known so far: a linear programme in exact rationals."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import z3

Coefficients = tuple[int, ...]
AT_ONCE = 12
"""Rows are handed to the solver few at a time, those that are violated most first: most rows never matter."""


def lightest(rows: Sequence[Coefficients], start: Coefficients, sizes: Coefficients) -> list[Fraction] | None:
    """Weights with `row · w >= 1` for every row and the least `start · w` from 0 on; None if there are none.

    Among equals the ones with the least sum of sizes, so that a weight is zero where it need not be anything else.
    """
    optimiser = z3.Optimize()
    optimiser.set("priority", "lex")
    weights = [z3.Real(f"weight{n}") for n in range(len(start))]
    lengths = [z3.Real(f"length{n}") for n in range(len(start))]
    for weight, length in zip(weights, lengths, strict=True):
        optimiser.add(length >= weight, length >= -weight)
    optimiser.add(_product(start, weights) >= 0)
    optimiser.minimize(_product(start, weights))
    optimiser.minimize(_product(sizes, lengths))
    missing = list(rows[:AT_ONCE])
    while True:
        optimiser.add(*(_product(row, weights) >= 1 for row in missing))
        if optimiser.check() != z3.sat:
            return None
        model = optimiser.model()
        found = [model.eval(weight, model_completion=True).as_fraction() for weight in weights]
        one = lcm(*(weight.denominator for weight in found))
        used = [(n, int(weight * one)) for n, weight in enumerate(found) if weight]
        violated = []
        for row in rows:
            value = sum([weight * row[n] for n, weight in used])
            if value < one:
                violated.append((value, row))
        if not violated:
            return found
        missing = [row for _, row in sorted(violated)[:AT_ONCE]]


def _product(numbers: Coefficients, terms: Sequence[z3.ArithRef]) -> z3.ArithRef:
    return z3.Sum([number * term for number, term in zip(numbers, terms, strict=True) if number] or [z3.RealVal(0)])
