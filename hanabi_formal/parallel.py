"""Work on all cores: each answer is told as soon as it is known, and no process outlives the one that asked."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from threading import Thread
from typing import Any, Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

HAS_GROUPS = hasattr(os, "setpgrp")
PATIENCE = 1.0  # seconds between two looks at the clock, while nothing is heard


@dataclass(frozen=True)
class Began(Generic[T]):
    task: T


@dataclass(frozen=True)
class Said(Generic[T, R]):
    task: T
    answer: R


@dataclass(frozen=True)
class Done(Generic[T]):
    task: T


@dataclass(frozen=True)
class Waiting:
    """Nothing was heard for a moment."""


def spread(
    work: Callable[[T], Iterator[R]], tasks: Sequence[T]
) -> Generator[Began[T] | Said[T, R] | Done[T] | Waiting, None, None]:
    """Give the tasks to workers, one for each core. What stops a worker is raised here.

    Closing the generator ends all workers.
    """
    left = deque(tasks)
    cores = min(len(tasks), os.cpu_count() or 1)
    workers: dict[Connection, _Worker[T, R]] = {}
    busy: dict[Connection, T] = {}
    try:
        for _ in range(cores):
            worker = _Worker(work)
            workers[worker.ours] = worker
            busy[worker.ours] = left.popleft()
        for connection, task in busy.items():
            connection.send(task)
            yield Began(task)
        while busy:
            heard = set(wait(list(busy), PATIENCE))
            if not heard:
                yield Waiting()
            for connection in [known for known in busy if known in heard]:
                kind, value = _receive(connection)
                task = busy[connection]
                if kind == "said":
                    yield Said(task, value)
                elif kind == "failed":
                    raise value
                else:
                    yield Done(task)
                    del busy[connection]
                    if left:
                        busy[connection] = left.popleft()
                        connection.send(busy[connection])
                        yield Began(busy[connection])
    finally:
        for worker in workers.values():
            worker.stop()


def _receive(connection: Connection) -> tuple[str, Any]:
    try:
        kind, value = connection.recv()
    except EOFError:
        raise RuntimeError("a worker died without a word") from None
    return kind, value


class _Worker(Generic[T, R]):
    def __init__(self, work: Callable[[T], Iterator[R]]) -> None:
        # Nothing runs beside us when workers start, so that on Linux the quick way is safe.
        context: Any = get_context("fork" if sys.platform == "linux" else None)
        self.ours, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, work, os.getpid()), daemon=True)
        self.process.start()
        theirs.close()

    def stop(self) -> None:
        """With whatever it started itself."""
        if HAS_GROUPS:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.ours.close()


def _serve(connection: Connection, work: Callable[[T], Iterator[R]], parent: int) -> None:
    """Answer questions until killed. An interrupt is our parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if HAS_GROUPS:
        os.setpgrp()
    gc.freeze()  # What was there before the work lives as long as we do, and need not be looked through again.
    Thread(target=_leave_with, args=(parent,), daemon=True).start()
    while True:
        task = connection.recv()
        try:
            for answer in work(task):
                connection.send(("said", answer))
            connection.send(("done", None))
        except Exception as problem:
            connection.send(("failed", _sendable(problem)))


def _leave_with(parent: int) -> None:
    """A parent that was killed can stop nobody; its orphans are given to another one."""
    while os.getppid() == parent:
        time.sleep(PATIENCE)
    if HAS_GROUPS:
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def _sendable(problem: Exception) -> Exception:
    """With the place where it happened; as text if it does not survive the journey."""
    problem.add_note(traceback.format_exc())
    try:
        pickle.loads(pickle.dumps(problem))
    except Exception:
        return RuntimeError(f"{type(problem).__name__}: {problem}")
    return problem
