"""An implementation in a process of its own, spoken to in JSON lines.

It may hang, crash or babble: every answer has a time limit, a length limit and a form. What fails is ended with all
that it has started (`guard.py`), and the next game begins with a new one.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hanabi_formal.conformance.messages import ALWAYS, PROTOCOL, SOME, Failed, Reply, Setup, Unsupported
from hanabi_formal.conformance.process.guard import NAMESPACE
from hanabi_formal.conformance.process.wire import MOST_TOLD, answer_from, reason
from hanabi_formal.foreign.strict_json import read_json

SECONDS = 5.0
FIRST_SECONDS = 60.0
MOST_BYTES = 1_000_000
LAST_WORDS = 2000
MOST_ROUNDS = 100
ENDING_SECONDS = 10.0
GUARD = str(Path(__file__).with_name("guard.py"))
CANNOT_START = "cannot be started"


class Child:
    """`seconds` is the time for one answer; the first has longer, for imports. `means` is how it may be ended."""

    def __init__(
        self,
        command: Sequence[str],
        name: str = "",
        seconds: float = SECONDS,
        environment: Mapping[str, str] | None = None,
        means: str = NAMESPACE,
    ) -> None:
        self.command = list(command)
        self.seconds = seconds
        self.environment = environment
        self.means = means
        self.starts = 0
        self._process: _Guarded | None = None
        hello = self._hello()
        said = hello.get("name")
        self.name = " ".join((said if isinstance(said, str) and said.strip() else name or self.command[0]).split())[:60]
        actions = hello.get("actions")
        named = [name for name in actions if isinstance(name, str)] if isinstance(actions, list) else ()
        self.knows = ALWAYS | SOME.intersection(named)
        if hello.get("take") is True:
            self.knows |= {"take"}
        self._setup: Setup | None = None

    # ---- as an implementation --------------------------------------------------------------------------
    def sit(self, setup: Setup) -> None:
        self._setup = setup
        cards = [
            f"{letter}{rank}"
            for letter, row in zip(setup.letters, setup.copies, strict=True)
            for rank, many in zip(setup.ranks, row, strict=True)
            for _ in range(many)
        ]
        self.start(tuple(cards))

    def start(self, deck: tuple[str, ...]) -> Reply:
        assert self._setup is not None
        said = self._asked({"type": "start", **self._setup.data(), "deck": list(deck)})
        if "unsupported" in said:
            raise Unsupported(reason(str(said["unsupported"])))
        return answer_from(said, self._setup)

    def act(self, move: int) -> Reply:
        assert self._setup is not None
        if self._process is None:
            raise Failed("crashed", "it is not there any more")
        action = self._setup.moves[move].data(self._setup.colours)
        return answer_from(self._asked({"type": "act", "action": action}), self._setup)

    def close(self) -> None:
        self._end()

    # ---- the process -----------------------------------------------------------------------------------
    def _hello(self) -> dict[str, Any]:
        self._end()
        self._process = _Guarded(self.command, {**os.environ, **(self.environment or {})}, self.means)
        self.starts += 1
        hello = self._exchange({"type": "hello", "protocol": PROTOCOL}, max(FIRST_SECONDS, self.seconds))
        if hello.get("protocol") != PROTOCOL:
            self._end()
            spoken = f"speaks protocol {str(hello['protocol'])[:20]}" if "protocol" in hello else "names no protocol"
            raise Failed("babbled", f"it {spoken}, not {PROTOCOL}")
        return hello

    def _asked(self, message: Mapping[str, Any]) -> dict[str, Any]:
        if self._process is None:
            self._hello()
        return self._exchange(message, self.seconds)

    def _exchange(self, message: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """One line out, one line in. After a failure, or when we are interrupted, the process is gone."""
        assert self._process is not None
        try:
            line = self._process.exchange(json.dumps(message).encode() + b"\n", seconds)
            try:
                said = read_json(line.decode())
            except ValueError:
                raise Failed("babbled", f"it said {_shown(line)}") from None
            if not isinstance(said, dict):
                raise Failed("babbled", f"it said {_shown(line)}")
            return said
        except Failed as problem:
            told = self._process.last_words() if problem.kind == "crashed" else ""
            self._end()
            raise Failed(problem.kind, "\n".join(filter(None, (problem.detail, told)))) from None
        except BaseException:
            self._end()
            raise

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.end()


class _Guarded:
    """A command that runs under a guard, and the pipes to it. `Failed` if it cannot be started."""

    def __init__(self, command: list[str], environment: Mapping[str, str], means: str) -> None:
        if not hasattr(os, "killpg"):
            raise Failed(CANNOT_START, "commands can be run only where there are process groups")
        ours, theirs = socket.socketpair()
        words = [sys.executable, "-I", "-S", GUARD, str(theirs.fileno()), means, *command]
        with theirs:
            try:
                self._guard = subprocess.Popen(
                    words,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                    env=environment,
                )
            except (OSError, ValueError) as problem:
                ours.close()
                raise Failed(CANNOT_START, _reason(problem)) from None
        self._control = ours
        self._news = b""
        self._rest = bytearray()
        self._errors = b""
        streams = (self._guard.stdin, self._guard.stdout, self._guard.stderr)
        self._in, self._out, self._err = (stream.fileno() for stream in streams if stream is not None)
        for number in (self._in, self._out, self._err):
            os.set_blocking(number, False)
        try:
            told = self._heard(FIRST_SECONDS)
        except BaseException:
            self.end()
            raise
        if told[:1] != ["started"]:
            self.end()
            number = int(told[1]) if told[:1] == ["failed"] else 0
            raise Failed(CANNOT_START, os.strerror(number).lower() if number else "it failed")
        self.means = told[2]

    def _heard(self, seconds: float) -> list[str]:
        """The next line of the guard, in words; nothing if there is none in time."""
        self._control.settimeout(seconds)
        with contextlib.suppress(OSError):
            while b"\n" not in self._news and (data := self._control.recv(4096)):
                self._news += data
        line, _, self._news = self._news.partition(b"\n")
        return line.decode().split()

    # ---- talking -----------------------------------------------------------------------------------------
    def exchange(self, line: bytes, seconds: float) -> bytes:
        """One line out, one line in."""
        deadline = time.monotonic() + seconds
        late = f"no answer within {seconds:g} s"
        self._write(line, deadline, late)
        return self._read(deadline, late)

    def _write(self, data: bytes, deadline: float, late: str) -> None:
        while data:
            try:
                data = data[os.write(self._in, data) :]
            except BlockingIOError:
                self._wait(self._in, selectors.EVENT_WRITE, deadline, late)
            except OSError:
                return  # it listens no more; what it said before that is read all the same

    def _read(self, deadline: float, late: str) -> bytes:
        rest, seen = self._rest, 0
        while (end := rest.find(b"\n", seen)) < 0:
            seen = len(rest)
            if seen > MOST_BYTES:
                raise Failed("babbled", f"a line of more than {MOST_BYTES:,} bytes: {_shown(rest)}")
            self._wait(self._out, selectors.EVENT_READ, deadline, late)
            try:
                data = os.read(self._out, 65536)
            except BlockingIOError:
                continue
            if not data:
                raise Failed("crashed", self._code())
            rest += data
        line = bytes(rest[:end])
        del rest[: end + 1]
        if rest:
            raise Failed("babbled", f"it said more than was asked: {_shown(rest)}")
        return line

    def _wait(self, number: int, event: int, deadline: float, late: str) -> None:
        """Until the pipe is ready. What comes on standard error meanwhile is taken away, lest it stand in the way."""
        with selectors.DefaultSelector() as selector:
            selector.register(number, event)
            selector.register(self._err, selectors.EVENT_READ)
            while True:
                left = deadline - time.monotonic()
                ready = {key.fd for key, _ in selector.select(left)} if left > 0 else set()
                if not ready:
                    begun = f"; a line was begun, without an end: {_shown(self._rest)}" if self._rest else ""
                    raise Failed("timed out", late + begun)
                if self._err in ready and self._drain() == 0:
                    selector.unregister(self._err)
                if number in ready:
                    return

    def _drain(self) -> int:
        """Keep the last of what it wrote to standard error. How much came; -1 if more may come later."""
        try:
            data = os.read(self._err, 65536)
        except BlockingIOError:
            return -1
        self._errors = (self._errors + data)[-LAST_WORDS:]
        return len(data)

    def _code(self) -> str:
        told = self._heard(1.0)
        if told[:1] != ["ended"]:
            return "it closed its output"
        code = int(told[1])
        return f"signal {_signal_name(-code)}" if code < 0 else f"exit code {code}"

    def last_words(self) -> str:
        """The last line it wrote to standard error; of a flood, the last of its beginning."""
        for _ in range(MOST_ROUNDS):
            if self._drain() <= 0:
                break
        lines = self._errors.decode(errors="replace").strip().splitlines()
        return lines[-1][:MOST_TOLD] if lines else ""

    def end(self) -> None:
        """With all that it has started."""
        self._control.close()
        try:
            self._guard.wait(ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self._guard.kill()
            self._guard.wait()
        for stream in (self._guard.stdin, self._guard.stdout, self._guard.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _reason(problem: Exception) -> str:
    return (getattr(problem, "strerror", None) or "it failed").lower()


def _shown(data: bytes | bytearray) -> str:
    return repr(data[:60].decode(errors="replace"))
