"""What one solver proved, asked of another: the SMT-LIB text of every question, and what cvc5 says of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from typing import Any

import z3

from hanabi_formal.foreign.text import clean_line
from hanabi_formal.prove.obligation import Obligation

LOGIC = "QF_UFNIA"
RESOURCES = 3_000_000
"""In cvc5's own units of work; the hardest questions of the base game take a tenth of it."""

_PREAMBLE = re.compile(r"\A; benchmark generated from python API\n\(set-info :status unknown\)\n")
_EMPTY = re.compile(r"(?<=\s)(and|or)(?=[\s)])")


@dataclass(frozen=True)
class SmtQuestion:
    """A text that was found unsatisfiable, and so shows its part of the obligations it serves."""

    number: int
    serves: tuple[Obligation, ...]
    where: str
    text: str

    def annotated(self, heading: str) -> str:
        """The text for other people and other solvers."""
        about = [heading, "", f"Question {self.number}{f', {self.where}' if self.where else ''}. It serves:"]
        about += [f"  {one.name}" for one in self.serves] or ["  (no obligation by name)"]
        about += [
            "",
            "Assumed is what is known before, and that the claim fails. `unsat`: it cannot fail here.",
            "`sat`: nothing is shown by this question. Z3 answers `unsat`.",
        ]
        return "\n".join([*(f"; {clean_line(line)}".rstrip() for line in about), self.text])


@dataclass
class QuestionRecorder:
    """A listener that keeps all it is told, as text that any solver can read."""

    questions: list[SmtQuestion] = field(default_factory=list)

    def __call__(self, text: str, serves: tuple[Obligation, ...] = (), where: str = "") -> None:
        self.questions.append(SmtQuestion(len(self.questions) + 1, serves, where, portable(text)))

    def about(self, obligation: Obligation) -> list[SmtQuestion]:
        return [question for question in self.questions if obligation in question.serves]


def portable(text: str) -> str:
    """Z3 names no logic, and prints an empty conjunction as a bare `and`, which nobody else understands."""
    body = _EMPTY.sub(lambda bare: "true" if bare[1] == "and" else "false", _PREAMBLE.sub("", text))
    return f"(set-logic {LOGIC})\n{body.rstrip()}\n"


class SolverAnswer(StrEnum):
    CONFIRMED = "unsat"
    REFUTED = "sat"
    OPEN = "unknown"


@dataclass(frozen=True)
class SecondAnswer:
    """What the other solver says; `detail` is why it does not know, `used` how much it worked."""

    answer: SolverAnswer
    detail: str = ""
    used: int = 0


class NotInstalled(Exception):
    """The other solver is no part of what everybody needs."""


class Cvc5:
    """The second solver. It knows nothing of this program but the text."""

    name = "cvc5"

    def __init__(self, resources: int = RESOURCES) -> None:
        try:
            self._cvc5: Any = import_module("cvc5")
        except ImportError as problem:
            raise NotInstalled(self.name) from problem
        self.resources = resources

    @property
    def version(self) -> str:
        return str(self._cvc5.__version__)

    def ask(self, text: str) -> SecondAnswer:
        """One question to a fresh solver. Not incremental: that is what its quick simplifications need."""
        solver = self._cvc5.Solver()
        for option, value in (("incremental", "false"), ("seed", "7"), ("rlimit", str(self.resources))):
            solver.setOption(option, value)
        parser = self._cvc5.InputParser(solver)
        try:
            parser.setStringInput(self._cvc5.InputLanguage.SMT_LIB_2_6, text, "question")
            return self._answer(solver, parser)
        except RuntimeError as problem:
            return SecondAnswer(SolverAnswer.OPEN, f"it cannot read the question: {problem}")

    def _answer(self, solver: Any, parser: Any) -> SecondAnswer:
        symbols = parser.getSymbolManager()
        while not (command := parser.nextCommand()).isNull():
            if command.getCommandName() == "check-sat":
                result = solver.checkSat()
                used = solver.getStatistics()["resource::resourceUnitsUsed"]["value"]
                if result.isUnsat():
                    return SecondAnswer(SolverAnswer.CONFIRMED, used=used)
                if result.isSat():
                    return SecondAnswer(SolverAnswer.REFUTED, used=used)
                return SecondAnswer(SolverAnswer.OPEN, _why(result.getUnknownExplanation().name), used)
            said = command.invoke(solver, symbols).strip()
            if said.startswith("(error"):
                return SecondAnswer(SolverAnswer.OPEN, f"it cannot read the question: {said}")
        return SecondAnswer(SolverAnswer.OPEN, "the text asks nothing")


def _why(reason: str) -> str:
    return "its budget is spent" if reason == "RESOURCEOUT" else f"it does not know ({reason.lower()})"


def first_solver() -> str:
    return f"Z3 {z3.get_version_string()}"
