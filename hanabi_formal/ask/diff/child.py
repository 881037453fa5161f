"""An implementation in a process of its own, spoken to in JSON lines.

It may hang, crash or babble: every answer has a time limit, a length limit and a form. What fails is ended with all
that it has started, and the next game begins with a new one.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import IO, Any

from hanabi_formal.ask.diff.terms import ALWAYS, PROTOCOL, SOME, Answer, Failed, Setup, Unsupported
from hanabi_formal.ask.diff.wire import answer_from

SECONDS = 5.0
FIRST_SECONDS = 60.0
MOST_BYTES = 1_000_000
MOST_TOLD = 300
CANNOT_START = "cannot be started"


class Child:
    """`seconds` is the time for one answer; the first has longer, for imports."""

    def __init__(
        self, command: Sequence[str], name: str = "", seconds: float = SECONDS,
        environment: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.command = list(command)
        self.seconds = seconds
        self.environment = environment
        self.starts = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""
        self._errors: IO[bytes] | None = None
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

    def start(self, deck: tuple[str, ...]) -> Answer:
        assert self._setup is not None
        said = self._asked({"type": "start", **self._setup.data(), "deck": list(deck)})
        if "unsupported" in said:
            raise Unsupported(str(said["unsupported"])[:MOST_TOLD])
        return answer_from(said, self._setup)

    def act(self, move: int) -> Answer:
        assert self._setup is not None
        if self._process is None:
            raise Failed("crashed", "it is not there any more")
        action = self._setup.moves[move].data(self._setup.suits)
        return answer_from(self._asked({"type": "act", "action": action}), self._setup)

    def close(self) -> None:
        self._end()

    # ---- the process -----------------------------------------------------------------------------------
    def _hello(self) -> dict[str, Any]:
        self._end()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed when the process is)
        try:
            self._process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
                start_new_session=True, env={**os.environ, **(self.environment or {})},
            )  # fmt: skip
        except OSError as problem:
            raise Failed(CANNOT_START, (problem.strerror or "it failed").lower()) from None
        self.starts += 1
        self._rest = b""
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)
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
        """One line out, one line in. After a failure the process is gone."""
        try:
            deadline = time.monotonic() + seconds
            self._write(json.dumps(message).encode() + b"\n", deadline)
            line = self._read(deadline)
            try:
                said = json.loads(line)
            except (ValueError, RecursionError):
                raise Failed("babbled", f"it said {_shown(line)}") from None
            if not isinstance(said, dict):
                raise Failed("babbled", f"it said {_shown(line)}")
            return said
        except Failed as problem:
            told = self._told() if problem.kind == "crashed" else ""
            self._end()
            raise Failed(problem.kind, "\n".join(filter(None, (problem.detail, told)))) from None

    def _write(self, data: bytes, deadline: float) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        number = self._process.stdin.fileno()
        while data:
            try:
                data = data[os.write(number, data) :]
            except BlockingIOError:
                self._wait(number, selectors.EVENT_WRITE, deadline)
            except OSError:
                return  # it listens no more; what it said before that is read all the same

    def _read(self, deadline: float) -> bytes:
        assert self._process is not None
        assert self._process.stdout is not None
        number = self._process.stdout.fileno()
        while b"\n" not in self._rest:
            if len(self._rest) > MOST_BYTES:
                raise Failed("babbled", f"a line of more than {MOST_BYTES:,} bytes: {_shown(self._rest)}")
            try:
                data = os.read(number, 65536)
            except BlockingIOError:
                self._wait(number, selectors.EVENT_READ, deadline)
                continue
            if not data:
                raise Failed("crashed", self._code())
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        if self._rest:
            raise Failed("babbled", f"it said more than was asked: {_shown(self._rest)}")
        return line

    def _wait(self, number: int, event: int, deadline: float) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(number, event)
            left = deadline - time.monotonic()
            if left <= 0 or not selector.select(left):
                begun = f"; a line was begun, without an end: {_shown(self._rest)}" if self._rest else ""
                raise Failed("timed out", f"no answer within {self.seconds:g} s{begun}")

    def _code(self) -> str:
        assert self._process is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        code = self._process.returncode
        if code is None:
            return "it closed its output"
        return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"

    def _told(self) -> str:
        """The last line it wrote to standard error."""
        if self._errors is None:
            return ""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - 2000))
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:MOST_TOLD] if lines else ""

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
        if self._errors is not None:
            self._errors.close()
            self._errors = None


def _shown(data: bytes) -> str:
    return repr(data[:60].decode(errors="replace"))
