"""Limits of time and memory for what the program does with one input."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

CPU_SECONDS = 6.0
WALL_FACTOR = 20
"""Others may use the machine too; what waits for something that never comes uses no processor at all."""
MEMORY_ALLOWANCE = 600 << 20
PAGE = resource.getpagesize()


class TookTooLong(BaseException):
    """Raised into the program by the clock; no handler of ordinary exceptions holds it."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_address_space() + MEMORY_ALLOWANCE, hard))
    signal.signal(signal.SIGPROF, _too_long)
    signal.signal(signal.SIGALRM, _too_long)
    # Where the first is swallowed, in a destructor say, the next one comes soon.
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.5)
    signal.setitimer(signal.ITIMER_REAL, seconds * WALL_FACTOR, 0.5)
    try:
        yield
    finally:
        _without_clocks()
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


@contextmanager
def unlimited() -> Iterator[None]:
    """Work that is ours and not the program's answer to an input: what an oracle needs, proofs made once."""
    left = signal.getitimer(signal.ITIMER_PROF)[0], signal.getitimer(signal.ITIMER_REAL)[0]
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    _without_clocks()
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (_address_space() + MEMORY_ALLOWANCE if soft != hard else hard, hard))
        signal.setitimer(signal.ITIMER_PROF, left[0], 0.5 if left[0] else 0)
        signal.setitimer(signal.ITIMER_REAL, left[1], 0.5 if left[1] else 0)


def _without_clocks() -> None:
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)


def _too_long(number: int, frame: FrameType | None) -> NoReturn:
    raise TookTooLong


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_bytes().split()[0]) * PAGE


def own_cache(folder: Path) -> Path:
    """From now on the program keeps its tables under this folder, away from the user's."""
    os.environ["XDG_CACHE_HOME"] = str(folder)
    return folder / "hanabi-formal"
