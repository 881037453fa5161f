"""Where the program is entered, so that what moves in it is followed in one place."""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from attacks.limits import unlimited
from hanabi_formal.api import Game
from hanabi_formal.cli.main import OUR_FAULT, cli
from hanabi_formal.conformance.messages import PROTOCOL, Failed
from hanabi_formal.conformance.process.child import Child
from hanabi_formal.judge.arguments import needs
from hanabi_formal.judge.refutations.lrat import Refused, check, unpack
from hanabi_formal.kernel.system import System
from hanabi_formal.roles import entries as roles
from hanabi_formal.sat.solvers import Cadical
from hanabi_formal.sat.trimming import trimmed


def _moved(*names: str) -> ModuleType:
    """The first of these modules that there is."""
    for name in names:
        with contextlib.suppress(ModuleNotFoundError):
            return import_module(name)
    raise ModuleNotFoundError(names[0])


_evidence: Any = _moved("hanabi_formal.judge.evidence", "hanabi_formal.ask.evidence")
_identities: Any = _moved("hanabi_formal.kernel.canonical", "hanabi_formal.kernel.meaning")
_disagreement: Any = _moved("hanabi_formal.engines.disagreement", "hanabi_formal.ask.disagreement")
Disagreement: type[Exception] = _disagreement.Disagreement
Accepted: Any = _evidence.Accepted
__all__ = [
    "Accepted",
    "Answered",
    "Disagreement",
    "InternalError",
    "Refused",
    "Spoken",
    "check_proof",
    "identity",
    "judged",
    "needs",
    "needs_are_remembered",
    "roles",
    "rules_hash",
    "solver_proof",
    "unpack_proof",
    "verb",
]
CONFLICTS = 100_000
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What a terminal would obey, or show in another order; no answer has it."""


class InternalError(Exception):
    """The command line answered that the fault is its own; the message is what it printed."""


@dataclass(frozen=True)
class Answered:
    """What a run of the command line left behind."""

    code: int
    out: str
    err: str


def verb(*args: str) -> Answered:
    """The command line, in this process. A fault of the program is raised with its traceback."""
    os.environ["HANABI_FORMAL_DEBUG"] = "1"
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            cli.main(list(args))
        except SystemExit as leaving:
            code = leaving.code
    found = Answered(code if isinstance(code, int) else 0, out.getvalue(), err.getvalue())
    if strange := CONTROL.search(found.out + found.err):
        shown = f"{found.out[-500:]!r} {found.err[-500:]!r}"
        raise InternalError(f"{list(args)!r:.300} prints the sign {strange[0]!r}: {shown}")
    if found.code == OUR_FAULT:
        raise InternalError(f"{list(args)!r:.300}\n{found.err[-4000:]}")
    return found


# ---- evidence --------------------------------------------------------------------------------------------
def judged(game: Game, players: int | None, faces: Sequence[int], evidence: Mapping[str, Any]) -> Iterator[Any]:
    """As `certify` does it."""
    yield from _evidence.judge_all(game, players, faces, evidence)


def rules_hash(game: Game, players: int | None) -> str:
    """What evidence calls rules by."""
    return str(_evidence.rules_hash(game, players))


def identity(system: System) -> str:
    """What proofs are looked up by."""
    if hasattr(_identities, "identity"):
        return str(_identities.identity(system))
    return str(_identities.meaning_hash([system]))


def needs_are_remembered(key: Callable[[Game], str], known: dict[str, str]) -> None:
    """What rules lack for an argument takes seconds to find out, so each of our games is asked once in a process."""
    prove: Any = getattr(needs.prove_need, "asked", needs.prove_need)

    def remembered(game: Game, *asked: Any) -> str:
        place = f"{key(game)} {asked}"
        if place not in known:
            with unlimited():
                known[place] = prove(game, *asked)
        return known[place]

    remembered.asked = prove  # type: ignore[attr-defined]
    needs.prove_need = remembered  # type: ignore[assignment]


# ---- proofs ----------------------------------------------------------------------------------------------
def check_proof(clauses: Sequence[Sequence[int]], text: str) -> int:
    return check(clauses, text)


def unpack_proof(packed: str) -> str:
    return unpack(packed)


def solver_proof(clauses: list[list[int]]) -> str:
    """The proof of a solver that clauses cannot be met."""
    solver = Cadical(clauses, traced=True)
    try:
        if solver.solve(CONFLICTS) is not False:
            raise ValueError("these clauses can be met, or are too hard")
        return trimmed(solver.trace(), len(clauses))
    finally:
        solver.close()


# ---- implementations -------------------------------------------------------------------------------------
class Spoken(Child):
    """An implementation whose answers come from a function instead of a process: from a line of bytes to another.

    All that reads and judges what a process says is the program's own; only the pipes are not.
    """

    def __init__(self, talk: Callable[[bytes], bytes]) -> None:
        self.talk = talk
        self._line = b""
        super().__init__(["spoken"])

    def _hello(self) -> dict[str, Any]:
        self._process: Any = self
        self.starts += 1
        hello = self._exchange({"type": "hello", "protocol": PROTOCOL}, 1)
        if hello.get("protocol") != PROTOCOL:
            raise Failed("babbled", "it speaks another protocol")
        return hello

    def exchange(self, line: bytes, seconds: float) -> bytes:
        answer, end, more = self.talk(line).partition(b"\n")
        if not end or more:
            raise Failed("crashed" if not end else "babbled", "it said no line, or more than one")
        return answer

    def last_words(self) -> str:
        return ""

    def end(self) -> None: ...

    def _write(self, data: bytes, deadline: float) -> None:
        self._line = data

    def _read(self, deadline: float) -> bytes:
        return self.exchange(self._line, 1)

    def _told(self) -> str:
        return ""

    def _end(self) -> None:
        self._process = None
