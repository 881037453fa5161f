"""Clauses and their refutation as other people's checkers want them: strict DIMACS, and LRAT in its text form.

Strict: no clause is empty, none has a literal twice, none is true anyway. Clauses that are true anyway are left out,
and the rest numbered anew from 1; the steps of the proof follow on those numbers. A step that is true anyway is left
out as well. No accepted proof uses either: such a clause never has one literal left, nor none. Derived clauses are
deleted after their last use.

If a clause is empty there is nothing to prove, but no strict formula can say so: it is written as two clauses, `x` and
`-x`, of a variable of its own, and the proof is one step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hanabi_formal.judge.refutations.refutation import Refutation


@dataclass(frozen=True)
class Standard:
    """A formula and its proof as text, and how many clauses and steps they have.

    `numbers` says which of the original clauses, counted from 1, each of these is; none if an empty one was replaced.
    """

    cnf: str
    lrat: str
    variables: int
    clauses: int
    steps: int
    numbers: tuple[int, ...]


def standard(refutation: Refutation) -> Standard:
    """The same refutation, for others."""
    clauses = refutation.clauses
    if any(len(clause) == 0 for clause in clauses):
        return _of_the_empty_clause(refutation)
    kept = [(number, plain) for number, clause in enumerate(clauses, 1) if (plain := _plain(clause)) is not None]
    renumbered = {number: place for place, (number, _) in enumerate(kept, 1)}
    steps = list(_steps(refutation.proof, renumbered))
    return Standard(
        _cnf(refutation.variables, [clause for _, clause in kept]),
        "".join(_written(steps, len(kept))),
        refutation.variables,
        len(kept),
        len(steps),
        tuple(number for number, _ in kept),
    )


def _of_the_empty_clause(refutation: Refutation) -> Standard:
    clauses = [plain for clause in refutation.clauses if clause and (plain := _plain(clause)) is not None]
    own = refutation.variables + 1
    clauses += [[own], [-own]]
    many = len(clauses)
    return Standard(_cnf(own, clauses), f"{many + 1} 0 {many - 1} {many} 0\n", own, many, 1, ())


def _plain(clause: Sequence[int]) -> list[int] | None:
    """Each literal once; None if the clause is true anyway."""
    found = list(dict.fromkeys(clause))
    return None if any(-literal in clause for literal in found) else found


def _cnf(variables: int, clauses: Sequence[Sequence[int]]) -> str:
    lines = [f"p cnf {variables} {len(clauses)}\n"]
    lines += [f"{' '.join(map(str, clause))} 0\n" for clause in clauses]
    return "".join(lines)


LratStep = tuple[int, list[int], list[int]]
"""A number, the literals of a clause, the numbers of the clauses that it follows from."""


def _steps(proof: str, renumbered: dict[int, int]) -> Iterator[LratStep]:
    """The steps of an accepted proof up to the empty clause, numbered from the last of the clauses on."""
    last = len(renumbered)
    for line in proof.split("\n"):
        numbers = list(map(int, line.split()))
        middle = numbers.index(0)
        clause, hints = _plain(numbers[1:middle]), numbers[middle + 1 : -1]
        if clause is None:
            continue
        last += 1
        yield last, clause, [renumbered[hint] for hint in hints]
        if not clause:
            return
        renumbered[numbers[0]] = last


def _written(steps: Sequence[LratStep], clauses: int) -> Iterator[str]:
    last_use = {hint: number for number, _, hints in steps for hint in hints if hint > clauses}
    unused: dict[int, list[int]] = {}
    for hint, number in last_use.items():
        unused.setdefault(number, []).append(hint)
    for number, clause, hints in steps:
        yield " ".join(map(str, (number, *clause, 0, *hints, 0))) + "\n"
        if clause and number in unused:
            yield " ".join(map(str, (number, "d", *unused[number], 0))) + "\n"
