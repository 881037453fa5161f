"""One hostile input run under limits, and what came of it.

An attack makes a `Case` from a number. To ask it runs the program on the input; one that is refused as it should be
raises what the command line tells a user (`Rejected`, `Refused`, …) or answers false. What must never happen has a
name: a `WRONG` acceptance, a `DISAGREEMENT` of engines, a `TRACEBACK`, a `HANG`, or more `MEMORY` than one may cost.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

import click

from attacks.limits import CPU_SECONDS, TookTooLong, limited
from attacks.program import Disagreement, Refused
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.run.faults import Fault

ACCEPTED, REFUSED = "accepted", "refused"
TRACEBACK, HANG, MEMORY, WRONG, DISAGREEMENT = "traceback", "hang", "memory", "wrong", "disagreement"
FAILURES = (TRACEBACK, HANG, MEMORY, WRONG, DISAGREEMENT)
AS_A_USER_IS_TOLD = (Rejected, Refused, Fault, click.ClickException)
"""Exceptions that the command line turns into words; any other is a fault of the program."""

MOST_TOLD = 6000


class WrongAcceptance(Exception):
    """Something false was accepted; the message says what, and why it is false."""


class Differs(Exception):
    """Two readings that must agree do not; also where what is true is refused."""


@dataclass(frozen=True)
class Case:
    """An input. `how` names the way it was made, `given` is kept if it fails; `ask` answers whether it is accepted."""

    how: str
    given: Any
    ask: Callable[[], bool]


@dataclass(frozen=True)
class Result:
    outcome: str
    detail: str = ""


class Attack(Protocol):
    """All inputs of one kind: the same number and random numbers make the same input in every process."""

    def case(self, number: int, random: Random) -> Case: ...


def make(attack: Attack, kind: str, seed: str, number: int) -> Case:
    return attack.case(number, Random(f"{seed}/{kind}/{number}"))


def run(case: Case, seconds: float = CPU_SECONDS) -> Result:
    try:
        with limited(seconds):
            return Result(ACCEPTED if case.ask() else REFUSED)
    except TookTooLong:
        return Result(HANG, traceback.format_exc()[-MOST_TOLD:])
    except MemoryError:
        return Result(MEMORY, traceback.format_exc()[-MOST_TOLD:])
    except WrongAcceptance as found:
        return Result(WRONG, str(found)[:MOST_TOLD])
    except (Differs, Disagreement) as found:
        return Result(DISAGREEMENT, str(found)[:MOST_TOLD])
    except AS_A_USER_IS_TOLD:
        return Result(REFUSED)
    except Exception:
        return Result(TRACEBACK, traceback.format_exc()[-MOST_TOLD:])
