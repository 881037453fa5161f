"""Somebody else's checker: a command that is given a formula and a proof, and says whether the one refutes the other.

It has accepted if it leaves with exit code 0 and writes a line that says so: `s VERIFIED UNSAT` or `s VERIFIED`, unless
another line is agreed upon. Before it is believed it is examined: it must accept small proofs, and refuse false ones,
most of all those about formulas that can be met.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import parent_process
from pathlib import Path
from tempfile import TemporaryDirectory

CNF, LRAT = "{cnf}", "{lrat}"
ACCEPTANCES = ("s VERIFIED UNSAT", "s VERIFIED")
USUAL_SECONDS = 600.0
SECONDS_OF_A_TRIAL = 20.0
MOST_OUTPUT = 1 << 20
MOST_SHOWN = 160


class Unusable(Exception):
    """No checker to rely on; the message says why."""


@dataclass(frozen=True)
class CheckerVerdict:
    """What it said: whether it accepted; if it did not come to an end, `failure` says why."""

    accepted: bool
    said: str
    seconds: float
    failure: str = ""


@dataclass(frozen=True)
class ExternalChecker:
    """A command, with `{cnf}` and `{lrat}` where the files go, or without both: then they are put behind it."""

    command: str
    acceptances: tuple[str, ...] = ACCEPTANCES
    seconds: float = USUAL_SECONDS

    def arguments(self, cnf: Path, lrat: Path) -> list[str]:
        try:
            words = shlex.split(self.command)
        except ValueError as problem:
            raise Unusable(f"the command cannot be read: {problem}") from None
        if not words:
            raise Unusable("the command is empty")
        placed = [CNF in word or LRAT in word for word in words]
        if any(placed):
            return [word.replace(CNF, str(cnf)).replace(LRAT, str(lrat)) for word in words]
        return [*words, str(cnf), str(lrat)]

    def check(self, cnf: Path, lrat: Path, seconds: float | None = None) -> CheckerVerdict:
        """`Unusable` if the command cannot be started."""
        limit = self.seconds if seconds is None else seconds
        began = time.monotonic()
        with TemporaryDirectory() as folder:
            output = Path(folder) / "said"
            with output.open("wb") as said:
                try:
                    process = subprocess.Popen(
                        self.arguments(cnf, lrat),
                        stdin=subprocess.DEVNULL,
                        stdout=said,
                        stderr=subprocess.STDOUT,
                        start_new_session=_is_alone(),
                    )
                except (OSError, ValueError) as problem:
                    reason = getattr(problem, "strerror", None) or str(problem)
                    raise Unusable(f"it cannot be started: {reason.lower()}") from None
                try:
                    code: int | None = process.wait(limit)
                except subprocess.TimeoutExpired:
                    code = None
                finally:
                    _end(process)
            with output.open("rb") as written:
                lines = written.read(MOST_OUTPUT).decode("utf-8", "replace").splitlines()
        return self._verdict(code, lines, time.monotonic() - began, limit)

    def _verdict(self, code: int | None, lines: Sequence[str], seconds: float, limit: float) -> CheckerVerdict:
        said = next((line.strip() for line in reversed(lines) if line.strip()), "")
        shown = ascii(said)[1:-1][:MOST_SHOWN] if said else "nothing"
        if code is None:
            return CheckerVerdict(False, shown, seconds, f"it came to no end within {limit:g} s")
        if code < 0:
            return CheckerVerdict(False, shown, seconds, f"it was ended by signal {-code}")
        accepted = code == 0 and any(line.strip() in self.acceptances for line in lines)
        return CheckerVerdict(accepted, shown, seconds)

    def examine(self) -> None:
        """`Unusable` if it accepts what is false, or does not accept what is right."""
        with TemporaryDirectory() as folder:
            cnf, lrat = Path(folder) / "trial.cnf", Path(folder) / "trial.lrat"
            for trial in TRIALS:
                cnf.write_text(trial.cnf, "ascii")
                lrat.write_text(trial.lrat, "ascii")
                found = self.check(cnf, lrat, min(self.seconds, SECONDS_OF_A_TRIAL))
                if found.accepted and not trial.right:
                    raise Unusable(f"it accepts {trial.name}")
                if trial.right and not found.accepted:
                    raise Unusable(f"it does not accept {trial.name}: {found.failure or f'it says `{found.said}`'}")


def _is_alone() -> bool:
    """Does nobody end us with all that we started? Else, as a worker, we leave that to whom we work for."""
    return parent_process() is None and hasattr(os, "killpg")


def _end(process: subprocess.Popen[bytes]) -> None:
    """With whatever it started that is still in its session."""
    if _is_alone():
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    with suppress(ProcessLookupError):
        process.kill()
    process.wait()


# ---- the examination ---------------------------------------------------------------------------------
@dataclass(frozen=True)
class CheckerTrial:
    """A formula and a proof, and whether the proof is right."""

    name: str
    cnf: str
    lrat: str
    right: bool = False


SATISFIABLE = "p cnf 3 4\n1 2 0\n-1 2 0\n1 -2 3 0\n-3 1 2 0\n"
"""Met if 1 and 2 are true."""
UNSATISFIABLE = "p cnf 3 6\n1 2 0\n-1 2 0\n1 -2 0\n-1 -2 3 0\n-3 -1 0\n3 -2 -1 0\n"
"""No clause is a single literal, so nothing follows without a proof."""
PIGEONS = """p cnf 6 9
1 2 0
3 4 0
5 6 0
-1 -3 0
-1 -5 0
-3 -5 0
-2 -4 0
-2 -6 0
-4 -6 0
"""
TRIALS = (
    CheckerTrial("a right proof", UNSATISFIABLE, "7 2 0 1 2 0\n8 1 0 7 3 0\n9 3 0 8 7 4 0\n10 0 8 9 5 0\n", right=True),
    CheckerTrial(
        "a right proof with deletions",
        PIGEONS,
        "10 -1 0 4 2 5 3 9 0\n11 2 0 10 1 0\n11 d 10 0\n12 -4 0 11 7 0\n13 -6 0 11 8 0\n13 d 11 0\n"
        "14 3 0 12 2 0\n15 0 13 3 14 6 0\n",
        right=True,
    ),
    CheckerTrial(
        "a proof about a formula that can be met: hints that force nothing", SATISFIABLE, "5 2 0 1 2 0\n6 0 5 3 4 0\n"
    ),
    CheckerTrial("a proof about a formula that can be met: no hints", SATISFIABLE, "5 0 0\n"),
    CheckerTrial("a proof about a formula that can be met: hints that name no clause", SATISFIABLE, "5 0 77 78 0\n"),
    CheckerTrial(
        "a proof about a formula that can be met: hints of clauses that are deleted",
        SATISFIABLE,
        "4 d 1 2 3 4 0\n5 0 1 2 3 4 0\n",
    ),
    CheckerTrial(
        "a proof about a formula that can be met: the empty clause by resolution on nothing",
        SATISFIABLE,
        "5 0 1 -2 3 -4 0\n",
    ),
    CheckerTrial(
        "a proof about a formula that can be met: a literal by resolution that leaves a clause out",
        SATISFIABLE,
        "5 -2 0 -3 0\n6 1 0 5 1 0\n7 0 5 2 6 0\n",
    ),
    CheckerTrial(
        "a proof about a formula that can be met: literals from clauses that have two left",
        SATISFIABLE,
        "5 1 0 1 0\n6 -1 0 2 0\n7 0 5 6 0\n",
    ),
    CheckerTrial("a proof about a formula that can be met: a step that refers to itself", SATISFIABLE, "5 0 5 0\n"),
    CheckerTrial(
        "a proof about a formula that can be met: a step that replaces a clause",
        SATISFIABLE,
        "1 -2 0 1 0\n2 2 0 2 0\n5 0 1 2 0\n",
    ),
    CheckerTrial("a proof about a formula that can be met: a clause used twice", SATISFIABLE, "5 0 1 1 2 2 3 3 0\n"),
    CheckerTrial("a proof about a formula that can be met: nothing but a deletion", SATISFIABLE, "5 d 1 2 3 4 0\n"),
    CheckerTrial("an empty proof", UNSATISFIABLE, ""),
    CheckerTrial("a proof that ends before the empty clause", PIGEONS, "10 1 2 3 0 1 0\n"),
    CheckerTrial("a proof with a step too few", PIGEONS, "10 0 1 4 0\n"),
)
