"""Processes that run batches of inputs, and what is known of one that dies or hangs.

A process that dies, or does not answer for long, takes the input with it that it was at: that one is counted, and the
rest of its batch is done by another process.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from importlib import import_module
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from attacks.harness import FAILURES, HANG, TRACEBACK, Attack, Case, make, run
from attacks.limits import CPU_SECONDS, WALL_FACTOR, own_cache

PATIENCE = 6 * CPU_SECONDS * WALL_FACTOR
"""How long one input may take on the clock before its process is given up; preparations count too."""
MOST_KEPT = 20_000


class BrokenAttack(Exception):
    """An input could not even be made: the fault is here, not in the program."""


@dataclass(frozen=True)
class Batch:
    """Inputs of a kind with numbers from `start` to before `end`; `lost` are those that took a process with them."""

    kind: str
    number: int
    start: int
    end: int
    lost: tuple[tuple[int, str], ...] = ()


@dataclass
class Done:
    """What came of a batch: for each way to make an input how often each outcome, and all that failed."""

    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    failures: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, how: str, outcome: str) -> None:
        counts = Counter(self.counts.get(how, {}))
        counts[outcome] += 1
        self.counts[how] = dict(counts)


def run_batch(attack: Attack, batch: Batch, seed: str, at: Any = None) -> Done:
    """All of its inputs, one after the other; `at` is where others can see which is the present one."""
    done, began = Done(), _cpu_seconds()
    lost = dict(batch.lost)
    for number in range(batch.start, batch.end):
        if number in lost:
            done.add("lost", lost[number])
            done.failures.append({"number": number, "how": "lost", "outcome": lost[number]})
            continue
        if at is not None:
            at.value = number
        case = make(attack, batch.kind, seed, number)
        result = run(case)
        done.add(case.how, result.outcome)
        if result.outcome in FAILURES:
            done.failures.append(
                {
                    "number": number,
                    "how": case.how,
                    "outcome": result.outcome,
                    "detail": result.detail,
                    "given": _kept(case),
                }
            )
    done.seconds = _cpu_seconds() - began
    return done


def _cpu_seconds() -> float:
    """Of this process and of those it has started and seen end: `check` works on all cores."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _kept(case: Case) -> str:
    text = case.given if isinstance(case.given, str) else repr(case.given)
    return text.encode("utf-8", "backslashreplace").decode()[:MOST_KEPT]


def _worker(link: Connection, seed: str, at: Any) -> None:
    """A process: makes its attacks as they are asked for, in a folder and with a cache of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    attacks: dict[str, Attack] = {}
    with tempfile.TemporaryDirectory(prefix="attack-") as folder, Path(os.devnull).open() as nothing:
        sys.stdin = nothing
        while (batch := _received(link)) is not None:
            here = Path(folder) / batch.kind
            here.mkdir(exist_ok=True)
            own_cache(here / "cache")
            try:
                if batch.kind not in attacks:
                    attacks[batch.kind] = import_module(f"attacks.{batch.kind}").Attack(here)
                link.send(run_batch(attacks[batch.kind], batch, seed, at))
            except Exception:
                link.send(f"{batch.kind}:{at.value}\n{traceback.format_exc()}")


def _received(link: Connection) -> Batch | None:
    """The next batch; none if whoever gives them out is gone."""
    try:
        batch: Batch | None = link.recv()
    except EOFError:
        return None
    return batch


class _Member:
    def __init__(self, seed: str) -> None:
        context = multiprocessing.get_context("spawn")
        self.at = context.Value("q", -1)
        self.link, theirs = context.Pipe()
        # Not a daemon: those may have no children, and `check` starts some.
        self.process = context.Process(target=_worker, args=(theirs, seed, self.at), daemon=False)
        self.process.start()
        theirs.close()
        self.batch: Batch | None = None
        self._seen, self._since = -1, time.monotonic()

    def begin(self, batch: Batch) -> None:
        self.batch = batch
        self.at.value = batch.start
        self._seen, self._since = -1, time.monotonic()
        self.link.send(batch)

    @property
    def is_stuck(self) -> bool:
        if self.at.value != self._seen:
            self._seen, self._since = self.at.value, time.monotonic()
        return time.monotonic() - self._since > PATIENCE

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.link.close()


class Crew:
    def __init__(self, workers: int, seed: str) -> None:
        self.seed = seed
        self.members = [_Member(seed) for _ in range(workers)]

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *problem: object) -> None:
        for member in self.members:
            member.end()

    def work(self, batches: Iterable[Batch]) -> Iterator[tuple[Batch, Done]]:
        """Batches with what came of them, as they are done."""
        waiting = deque(batches)
        while waiting or any(member.batch is not None for member in self.members):
            for member in self.members:
                if member.batch is None and waiting:
                    member.begin(waiting.popleft())
            busy = {member.link: member for member in self.members if member.batch is not None}
            ready = {busy[link] for link in wait(list(busy), 1.0)}  # type: ignore[index]
            for member in busy.values():
                if member in ready:
                    yield from self._finished(member, waiting)
                elif member.is_stuck:
                    self._lost(member, waiting, HANG)

    def _finished(self, member: _Member, waiting: deque[Batch]) -> Iterator[tuple[Batch, Done]]:
        try:
            found = member.link.recv()
        except (EOFError, OSError):
            self._lost(member, waiting, TRACEBACK)
            return
        if not isinstance(found, Done):
            raise BrokenAttack(found)
        batch, member.batch = member.batch, None
        assert batch is not None
        yield batch, found

    def _lost(self, member: _Member, waiting: deque[Batch], outcome: str) -> None:
        assert member.batch is not None
        lost = (*member.batch.lost, (member.at.value, outcome))
        waiting.appendleft(replace(member.batch, lost=lost))
        member.end()
        self.members[self.members.index(member)] = _Member(self.seed)
