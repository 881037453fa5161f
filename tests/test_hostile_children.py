"""Implementations under `diff` that do not want to end, or to make us hang, run out of memory, or break."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hanabi_formal.conformance.messages import Failed, Setup
from hanabi_formal.conformance.process import child as child_module
from hanabi_formal.conformance.process.child import Child
from hanabi_formal.conformance.process.guard import GROUP, NAMESPACE, SUB_REAPER

pytestmark = pytest.mark.skipif(not hasattr(os, "killpg"), reason="commands are run where there are process groups")
ON_LINUX = sys.platform == "linux"
PROLOGUE = "import json, os, signal, subprocess, sys, time\n"
HELLO = 'sys.stdin.readline(); print(\'{"protocol": 1, "name": "x"}\', flush=True)\n'
STAY = "sys.stdin.readline(); time.sleep(100)\n"
SETUP = Setup("base", 2, ("red",), ("r",), (1,), ((1,),), 1, 1, 1, {}, ())

# Each writes the numbers of its processes to the file named by MARK, one a line, before it says hello.
NOTE = "open(os.environ['MARK'], 'a').write(f'{os.getpid()}\\n')\n"
RESTLESS = {
    "plain": NOTE,
    "forks": "if os.fork() == 0:\n    " + NOTE + "    time.sleep(100)\n",
    "own session": "if os.fork() == 0:\n    os.setsid()\n    " + NOTE + "    time.sleep(100)\n",
    "forks twice": "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        "
    + NOTE
    + "        time.sleep(100)\n    os._exit(0)\nos.wait()\n",
    "ignores signals": "for n in set(signal.valid_signals()) - {9, 19, 17}:\n    signal.signal(n, signal.SIG_IGN)\n"
    + NOTE,
    "grandchild ignores signals": "if os.fork() == 0:\n    os.setsid()\n    signal.signal(15, signal.SIG_IGN)\n    "
    + NOTE
    + "    time.sleep(100)\n",
    "starts a session": "subprocess.Popen([sys.executable, '-c', 'import os, time\\n' + "
    + repr(NOTE)
    + " + 'time.sleep(100)'], start_new_session=True, stdin=-3, stdout=-3, stderr=-3)\n",
    "goes on in its grandchild": "if os.fork():\n    os._exit(0)\nos.setsid()\n" + NOTE,
    # A relay: each runner starts the next one and leaves.
    "relay": "if os.fork() == 0:\n    os.setsid()\n    " + NOTE + "    while True:\n        time.sleep(0.002)\n"
    "        if os.fork(): os._exit(0)\n        " + NOTE,
}


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state not in "ZX"


def alive(mark: Path) -> list[str]:
    """Processes of which `/proc` says that they carry the mark in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if (
                entry.name.isdigit()
                and str(mark).encode() in (entry / "environ").read_bytes()
                and is_alive(int(entry.name))
            ):
                found.append(entry.name)
        except OSError:
            continue
    return found


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[Path]:
    """A file whose name every process that is started here has in its environment."""
    path = tmp_path / "mark"
    path.touch()
    yield path
    for left in alive(path) if ON_LINUX else ():
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(left), signal.SIGKILL)


def started(source: str, mark: Path, means: str = NAMESPACE, seconds: float = 1.0) -> Child:
    path = mark.with_name("implementation.py")
    path.write_text(PROLOGUE + source, encoding="utf-8")
    return Child([sys.executable, str(path)], "it", seconds, {"MARK": str(mark)}, means)


def wait_until(condition: Callable[[], bool], seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return condition()


def noted(mark: Path) -> bool:
    return wait_until(lambda: bool(mark.read_text()))


@pytest.mark.skipif(not ON_LINUX, reason="elsewhere there is only the process group")
@pytest.mark.parametrize("means", [NAMESPACE, SUB_REAPER])
@pytest.mark.parametrize("name", RESTLESS)
def test_nothing_outlives_its_end(name: str, means: str, mark: Path) -> None:
    asked = started(RESTLESS[name] + HELLO + STAY, mark, means)
    assert noted(mark)
    assert alive(mark)
    asked.close()
    assert alive(mark) == []


@pytest.mark.parametrize("name", ["plain", "forks", "ignores signals"])
def test_a_process_group_ends_together(name: str, mark: Path) -> None:
    """What is left where there are neither namespaces nor sub-reapers."""
    asked = started(RESTLESS[name] + HELLO + STAY, mark, GROUP)
    assert noted(mark)
    asked.close()
    assert wait_until(lambda: not alive(mark))


@pytest.mark.skipif(not ON_LINUX, reason="elsewhere there is only the process group")
@pytest.mark.parametrize("means", [NAMESPACE, SUB_REAPER])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_nothing_outlives_us(number: int, means: str, mark: Path) -> None:
    """When we are killed, nobody is there to clean up after us but the guard."""
    engine = mark.with_name("engine.py")
    engine.write_text(PROLOGUE + RESTLESS["forks twice"] + RESTLESS["ignores signals"] + HELLO + STAY)
    ours = f"""
from hanabi_formal.conformance.process.child import Child
import time
child = Child([{sys.executable!r}, {str(engine)!r}], means={means!r})
print("here", flush=True)
time.sleep(100)
"""
    asking = subprocess.Popen(
        [sys.executable, "-c", ours],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "MARK": str(mark)},
    )
    assert asking.stdout is not None
    assert asking.stdout.readline() == b"here\n"
    assert wait_until(lambda: len(mark.read_text().split()) == 2)
    asking.send_signal(number)
    asking.wait(10)
    asking.stdout.close()
    assert wait_until(lambda: alive(mark) == [])


@pytest.mark.skipif(not ON_LINUX, reason="elsewhere there is only the process group")
def test_nothing_outlives_an_interrupt_while_it_is_asked(mark: Path) -> None:
    asked = started(RESTLESS["forks twice"] + HELLO + STAY, mark, seconds=60)
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            asked.sit(SETUP)
    finally:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    assert alive(mark) == []


@pytest.mark.skipif(not ON_LINUX, reason="elsewhere there is only the process group")
def test_the_guard_can_be_killed_too(mark: Path) -> None:
    asked = started(RESTLESS["own session"] + HELLO + STAY, mark)
    assert noted(mark)
    assert asked._process is not None
    if asked._process.means != NAMESPACE:
        pytest.skip("no namespace is allowed here")
    asked._process._guard.kill()
    assert wait_until(lambda: alive(mark) == [])
    asked.close()


# ---- what it says ------------------------------------------------------------------------------------
def answered(answer: str, mark: Path, seconds: float = 1.0) -> Failed:
    """How an implementation fails that answers like this when a game starts."""
    asked = started(HELLO + "sys.stdin.readline()\n" + answer, mark, seconds=seconds)
    before = time.monotonic()
    with pytest.raises(Failed) as failed:
        asked.sit(SETUP)
    assert time.monotonic() - before < 10
    if ON_LINUX:
        assert alive(mark) == []
    return failed.value


@pytest.mark.parametrize(
    ("answer", "kind", "detail"),
    [
        ("while True: os.write(1, b'x' * 65536)\n", "babbled", "a line of more than"),
        ("while True: os.write(1, b'x\\n' * 1000)\n", "babbled", "it said 'x'|more than was asked"),
        ("os.close(1); time.sleep(100)\n", "crashed", "it closed its output"),
        ("time.sleep(100)\n", "timed out", "no answer within"),
        ("print('[' * 900000)\n", "babbled", "it said"),
        ("print('{\"state\":' * 900 + '1' + '}' * 900)\n", "babbled", "it said"),
        ("print('{\"state\": {\"score\": ' + '9' * 5000 + '}}')\n", "babbled", "it said"),
        ('print(\'{"state": {"score": NaN}}\')\n', "babbled", "it said"),
        ('print(\'{"state": {}, "state": {}}\')\n', "babbled", "it said"),
        ('print(\'{"state": {"discards": ["\\\\ud800"]}}\')\n', "babbled", "it said"),
        ("os.write(1, bytes(range(128, 256)) + b'\\n')\n", "babbled", "it said"),
        ("os.kill(os.getpid(), signal.SIGRTMIN + 3)\n", "crashed", "signal"),
        ("os.write(2, b'\\x1b[31mlast\\n'); sys.exit(3)\n", "crashed", "(?s)exit code 3.*last"),
        (
            "[os.write(2, b'e' * 65536) for _ in range(1000)]; os.write(2, b'\\nlast'); sys.exit(3)\n",
            "crashed",
            "(?s)exit code 3.*last",
        ),
        ("while True: os.write(2, b'e' * 65536)\n", "timed out", "no answer within"),
    ],
)
def test_a_strange_answer_is_a_failure(answer: str, kind: str, detail: str, mark: Path) -> None:
    found = answered(answer, mark)
    assert found.kind == kind
    assert len(found.detail) < 2000
    assert re.search(detail, found.detail)


@pytest.mark.parametrize("number", [1, 2])
def test_a_flood_takes_no_memory(number: int, mark: Path) -> None:
    tracemalloc.start()
    try:
        answered(f"while True: os.write({number}, b'x' * 65536)\n", mark)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_what_cannot_be_started_says_why(tmp_path: Path) -> None:
    for command in (str(tmp_path / "nothing"), str(tmp_path), ""):
        with pytest.raises(Failed) as failed:
            Child([command])
        assert failed.value.kind == child_module.CANNOT_START
