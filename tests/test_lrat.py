"""Proofs that clauses cannot be met: what the solver gives is accepted, and nothing that was tampered with."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest

from hanabi_formal.formats.deals import shuffled
from hanabi_formal.judge.refutations.lrat import Refused, check, unpack
from hanabi_formal.run.interpret import Interpreter
from hanabi_formal.sat.formula import Formula, cnf
from hanabi_formal.sat.question import ask
from hanabi_formal.sat.solvers import Cadical
from hanabi_formal.sat.trimming import packed, trimmed
from small_decks import Deck, load_deck

PIGEONS = 5


def pigeons() -> list[list[int]]:
    """One pigeon more than there are holes."""
    at = [[pigeon * PIGEONS + hole + 1 for hole in range(PIGEONS)] for pigeon in range(PIGEONS + 1)]
    return at + [[-at[p][h], -at[q][h]] for h in range(PIGEONS) for p in range(PIGEONS + 1) for q in range(p)]


def proof_of(clauses: list[list[int]]) -> str:
    solver = Cadical(clauses, traced=True)
    try:
        assert solver.solve(100_000) is False
        return trimmed(solver.trace(), len(clauses))
    finally:
        solver.close()


@cache
def lost_deal() -> tuple[Formula, str]:
    """A deal of a small deck that misses the goal, as clauses with a proof."""
    with TemporaryDirectory() as folder:
        system = load_deck(Deck("base", 2, None), Path(folder)).system(2)
    for seed in range(100):
        faces = tuple(shuffled(system, seed))
        start = Interpreter(system).start(faces)
        answer = ask(system, faces, start, 6, budget=50_000, proof=True)
        if answer.verdict == "impossible":
            assert answer.proof is not None
            formula = cnf(system, faces, start, 6, answer.horizon)
            assert formula.digest == answer.proof.digest
            return formula, answer.proof.steps
    raise AssertionError("every deal was won")


def test_a_solvers_proof_is_accepted() -> None:
    assert check(pigeons(), proof_of(pigeons())) > 10


def test_a_proof_about_a_deal_is_accepted() -> None:
    formula, steps = lost_deal()
    assert check(formula.clauses, unpack(steps)) > 0


def test_single_literals_on_the_way_change_no_numbers() -> None:
    """The solver derives clauses while others still come; their numbers must not be mistaken for one another."""
    clauses = [[-1, -2, -3], [1], *[[-1, 2, 10 + n] for n in range(3)], [2], [3, 20], [-20, 3], [-3, -2], [30, 31]]
    assert check(clauses, proof_of(clauses)) > 0


def test_a_proof_of_something_else_is_refused() -> None:
    text = proof_of(pigeons())
    for left_out in range(0, len(pigeons()), 7):
        weaker = pigeons()
        weaker[left_out] = [*weaker[left_out], 1000]
        with pytest.raises(Refused):
            check(weaker, text)


WRONG = {
    "1 0 1 0": "does not follow",
    "": "ends before the empty clause",
    "x 0 0": "no step of a proof",
    "99 1 2": "a step is a number",
    "0 0": "a step is a number",
    "0 1 0": "has no number",
    "99 0 500 0": "no clause 500 yet",
    "99 0 1 0": "leaves 5 literals",
    "99 0 0": "lead to no contradiction",
    "99 1 0 -3 4 0": "no clause -3 yet",
    "99 d 1 2 0": "no step of a proof",
}


@pytest.mark.parametrize("text", WRONG)
def test_refusals_say_why(text: str) -> None:
    with pytest.raises(Refused, match=WRONG[text]):
        check(pigeons(), text)


@pytest.mark.parametrize(
    "text", ["", "!!!", "AAAA", "é", packed("1 0 1 0\n")[:-8], packed("1 0 1 0\n") + packed("1 0")]
)
def test_what_cannot_be_unpacked_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        unpack(text)


def satisfiable(clauses: list[list[int]]) -> bool:
    solver = Cadical(clauses)
    try:
        return bool(solver.solve(100_000))
    finally:
        solver.close()


def test_no_proof_of_what_can_be_met() -> None:
    """Proofs with numbers changed at random, for clauses that can be met: none is ever accepted."""
    random = Random(3)
    text = proof_of(pigeons())
    clauses = pigeons()
    clauses[0] = [*clauses[0], 1000]
    assert satisfiable(clauses)
    for _ in range(1000):
        numbers = [line.split() for line in text.splitlines()]
        for _ in range(random.randrange(1, 4)):
            line = random.choice(numbers)
            line[random.randrange(len(line))] = str(random.randrange(-40, 150))
        with pytest.raises(Refused):
            check(clauses, "\n".join(" ".join(line) for line in numbers))


def test_corrupted_proofs_of_a_deal_are_refused() -> None:
    """A changed literal, a hint gone, a step gone, a clause changed: refused, or no harm is done by it."""
    formula, steps = lost_deal()
    random = Random(4)
    text = unpack(steps)
    lines = text.splitlines()
    refused = 0
    for _ in range(300):
        changed = list(lines)
        at = random.randrange(len(changed))
        words = changed[at].split()
        match random.randrange(3):
            case 0:
                changed[at : at + 1] = []
            case 1:
                words[random.randrange(1, len(words))] = str(random.randrange(1, formula.variables))
                changed[at] = " ".join(words)
            case _:
                del words[random.randrange(words.index("0") + 1, len(words))]
                changed[at] = " ".join(words)
        try:
            check(formula.clauses, "\n".join(changed))
        except Refused:
            refused += 1
    assert refused > 250


def test_steps_survive_a_file(tmp_path: Path) -> None:
    formula, steps = lost_deal()
    path = tmp_path / "proof.json"
    path.write_text(json.dumps({"steps": steps}), encoding="utf-8")
    assert check(formula.clauses, unpack(json.loads(path.read_text(encoding="utf-8"))["steps"])) > 0
