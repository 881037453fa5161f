"""`check --recheck` and `--smt-dir`: what Z3 proved, asked of another solver, and as files for any other."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hanabi_formal.compose.settings import Settings
from hanabi_formal.diagnostics.diagnostic import refuse
from hanabi_formal.engines.disagreement import Disagreement
from hanabi_formal.formats.storage import write_atomically
from hanabi_formal.prove.obligation import Result, Verdict
from hanabi_formal.prove.recheck import (
    Cvc5,
    NotInstalled,
    QuestionRecorder,
    SecondAnswer,
    SmtQuestion,
    SolverAnswer,
    first_solver,
)

WITHOUT_SOLVER = frozenset(["arithmetic", "text", "results of both"])
"""Methods that ask no question of the kind that another solver could confirm."""
LONGEST_NAME = 60


@dataclass(frozen=True)
class Recheck:
    """What the second solver says of one obligation: the numbers of its questions, and what is `missing`, if any."""

    solver: str
    questions: tuple[int, ...]
    missing: str = ""


def find_solver(name: str | None) -> Cvc5 | None:
    """The solver of this name; a way out if it is not there."""
    if name is None:
        return None
    try:
        return Cvc5()
    except NotInstalled:
        raise refuse(
            "HRL700",
            f"`--recheck {name}` needs the Python package `{name}`, which is not installed",
            help=f"`pip install 'hanabi-formal[{name}]'`",
        ) from None


@dataclass(frozen=True)
class CheckedSystem:
    """The system that is asked about, and how to come by it again."""

    spec: str
    players: int | None
    settings: Settings

    @property
    def command(self) -> str:
        words = ["hanabi-formal", "check", self.spec]
        words += ["--players", str(self.players)] if self.players is not None else []
        for name, number in self.settings.params.items():
            words += ["--set", f"{name}={number}"] if name != "players" else []
        for name, value in self.settings.rulings.items():
            words += ["--ruling", f"{name}={value}"]
        for name, values in self.settings.cuts.items():
            words += ["--set", f"{name}={','.join(values)}"]
        return shlex.join(words)

    @property
    def folder(self) -> str:
        name = "+".join(Path(part).stem for part in self.spec.split("+"))
        return file_name(name if self.players is None else f"{name}-{self.players}")


class SecondSolver:
    """Goes through the questions behind each result of one system, each question once."""

    def __init__(self, subject: CheckedSystem, recheck: str | None, folder: Path | None) -> None:
        self.subject = subject
        self.solver = find_solver(recheck)
        self.folder = folder
        self.recorder = QuestionRecorder() if recheck is not None or folder is not None else None
        self._written: set[int] = set()
        self._answers: dict[int, SecondAnswer] = {}

    def of(self, result: Result) -> Recheck | None:
        """What Z3 proved, or refuted without a game, is gone through; None if there is nothing to say of it."""
        if self.recorder is None or result.verdict is Verdict.UNDECIDED:
            return None
        questions = self.recorder.about(result.obligation)
        if result.verdict is not Verdict.PROVED and (result.trace is not None or not questions):
            return None
        for question in questions:
            self._write(question)
        if self.solver is None or (not questions and result.method in WITHOUT_SOLVER):
            return None
        numbers = tuple(question.number for question in questions)
        return Recheck(self.solver.name, numbers, self._missing(questions, self.solver))

    def _missing(self, questions: Sequence[SmtQuestion], solver: Cvc5) -> str:
        if not questions:
            return "no question is on record"
        for question in questions:
            if question.number not in self._answers:
                self._answers[question.number] = self._asked(question, solver)
            second = self._answers[question.number]
            if second.answer is not SolverAnswer.CONFIRMED:
                return f"question {question.number}, {question.where or 'nowhere in particular'}: {second.detail}"
        return ""

    def _asked(self, question: SmtQuestion, solver: Cvc5) -> SecondAnswer:
        second = solver.ask(question.text)
        if second.answer is SolverAnswer.REFUTED:
            answers = {first_solver(): "unsat", f"{solver.name} {solver.version}": "sat"}
            raise SolversDisagree(answers, self.subject, question)
        return second

    def _write(self, question: SmtQuestion) -> None:
        if self.folder is not None and question.number not in self._written:
            self._written.add(question.number)
            path = self.folder / self.subject.folder / question_name(question)
            write_atomically(path, question.annotated(self.subject.command))


def question_name(question: SmtQuestion) -> str:
    """After where it arose, and the first of the obligations it serves."""
    first = question.serves[0].name if question.serves else "unnamed"
    more = f" and {len(question.serves) - 1} more" if len(question.serves) > 1 else ""
    parts = (f"{question.number:03}", question.where, f"{first[:LONGEST_NAME]}{more}")
    return f"{'-'.join(file_name(part) for part in parts if part)}.smt2"


def file_name(text: str) -> str:
    return re.sub(r"[^\w.+-]+", "_", text)


class SolversDisagree(Disagreement):
    """One of two solvers is wrong, or one of them was asked something else."""

    def __init__(self, answers: dict[str, str], subject: CheckedSystem, question: SmtQuestion) -> None:
        Exception.__init__(self, answers, subject, question)
        self.what = "whether the question is satisfiable"
        self.answers = answers
        self.subject = subject
        self.question = question

    @property
    def obligations(self) -> list[str]:
        return [one.name for one in self.question.serves]

    @property
    def command(self) -> str:
        """What writes the text of the question to a file."""
        return f"{self.subject.command} --property {shlex.quote(self.obligations[0])} --smt-dir DIR"

    def __str__(self) -> str:
        return "\n".join(
            [
                f"our solvers disagree: {self.what}",
                *(f"  {who + ':':12} {says}" for who, says in self.answers.items()),
                f"question:    {self.question.number}, {self.question.where}",
                f"obligations: {', '.join(self.obligations)}",
                f"its text:    {self.command}",
            ]
        )

    @property
    def data(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "answers": dict(self.answers),
            "spec": self.subject.spec,
            "players": self.subject.players,
            "where": self.question.where,
            "obligations": self.obligations,
            "command": self.command,
            "text": self.question.text,
        }


# ---- told ------------------------------------------------------------------------------------------
Rechecked = tuple[str, Result, Recheck]
"""With the specification it is about."""


def unconfirmed(found: Iterable[Rechecked]) -> list[str]:
    told = []
    for spec, result, recheck in found:
        if recheck.missing:
            players = "" if result.players is None else f" with {result.players} players"
            told.append(f"{recheck.solver} does not confirm `{result.name}` of {spec}{players}: {recheck.missing}")
    return told


def confirmation(found: Sequence[Rechecked], proved: int) -> list[str]:
    """One line for all that is confirmed, and one for each obligation that is not; so many were proved in all."""
    if not found:
        return []
    questions = {(spec, result.players, number) for spec, result, recheck in found for number in recheck.questions}
    good = sum(not recheck.missing for _, _, recheck in found)
    asked = f"{len(questions)} question{'s' * (len(questions) != 1)}"
    others = proved - sum(result.verdict is Verdict.PROVED for _, result, _ in found)
    beside = f"; {others} more by arithmetic or from the text" if others else ""
    line = f"{found[0][2].solver} confirms {good} of {len(found)} proved obligations, {asked}{beside}"
    return [*unconfirmed(found), line]
