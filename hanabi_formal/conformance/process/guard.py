"""A process between us and an implementation, which ends it with all that it has started. Needs nothing but Python.

`python guard.py FD MEANS COMMAND…`: FD is a socket to whoever asks. Over it the guard tells that the command runs (or
why not) and how it ended, one line each. Once the other end is closed, because the command is needed no more or because
whoever asked was killed, all that the command has started is killed, and the guard leaves. Its means for that, of
which MEANS names the strongest that is tried:

- `namespace`: on Linux with the right to make one, a PID namespace; with its first process the kernel ends all others;
- `sub-reaper`: on Linux, what loses its parent becomes a child of the guard, so that nothing leaves the tree, and the
  tree is killed until it is empty;
- `group`: the process group of the command. What leaves that group is not found again.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

NAMESPACE, SUB_REAPER, GROUP = "namespace", "sub-reaper", "group"
# From linux/prctl.h, sched.h and sys/mount.h.
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
CLONE_NEWNS, CLONE_NEWPID = 0x00020000, 0x20000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 2, 4, 8, 0x4000, 0x40000
READY = b"r"


def main(args: list[str]) -> None:
    control = socket.socket(fileno=int(args[0]))
    control.set_inheritable(False)
    strongest, *command = args[1:]
    is_linux = sys.platform == "linux"
    first = _first_of_a_namespace() if is_linux and strongest == NAMESPACE else None
    if first == 0:
        _die_with_parent()
        _supervise(control, command, NAMESPACE, lambda child: os._exit(0))
    elif first is not None:
        control.close()
        for stream in (0, 1):
            os.close(stream)
        os.waitpid(first, 0)
    elif is_linux and strongest != GROUP and _libc().prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0:
        _supervise(control, command, SUB_REAPER, lambda child: _kill_tree())
    else:
        _supervise(control, command, GROUP, _kill_group)


def _supervise(control: socket.socket, command: list[str], means: str, end: Callable[[int], None]) -> None:
    """Run the command until it is needed no more; then `end` what is left, given the command's process."""
    heard, wake = socket.socketpair()
    wake.setblocking(False)
    signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _ignored)
    prepare = _die_with_parent if sys.platform == "linux" else None
    try:
        started = subprocess.Popen(command, start_new_session=True, preexec_fn=prepare)
    except (OSError, ValueError, subprocess.SubprocessError) as problem:
        control.sendall(f"failed {getattr(problem, 'errno', None) or 0}\n".encode())
        return
    control.sendall(f"started {started.pid} {means}\n".encode())
    for stream in (0, 1, 2):
        os.close(stream)
    with selectors.DefaultSelector() as selector:
        selector.register(control, selectors.EVENT_READ)
        selector.register(heard, selectors.EVENT_READ)
        needed = True
        while needed:
            ready = {key.fileobj for key, _ in selector.select()}
            if heard in ready:
                needed = not set(heard.recv(4096)) & {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
                _reap(lambda pid, status: _report(control, status) if pid == started.pid else None)
            if control in ready:
                needed = False
    end(started.pid)


def _ignored(number: int, frame: object) -> None:
    """A signal is heard through the wake-up socket."""


def _report(control: socket.socket, status: int) -> None:
    with contextlib.suppress(OSError):
        control.sendall(f"ended {os.waitstatus_to_exitcode(status)}\n".encode())


def _reap(tell: Callable[[int, int], None]) -> bool:
    """Take note of children that have ended. Is any left?"""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            return True
        tell(pid, status)


# ---- ways to end all of it ---------------------------------------------------------------------------
def _kill_group(child: int) -> None:
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)


def _kill_tree() -> None:
    """Until nothing is left. Whatever is killed leaves its children to us, so that the next round finds them."""
    pause = 0.0005
    while _reap(lambda pid, status: None):
        for pid in _descendants(os.getpid()):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        pause = min(2 * pause, 0.1)  # what is not ours to kill is waited for
        time.sleep(pause)


def _descendants(root: int) -> list[int]:
    """As far as `/proc` shows them at this moment; parents first."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                # The second field is a name in brackets, which may hold anything.
                fields = (entry / "stat").read_bytes().rpartition(b")")[2].split()
                children.setdefault(int(fields[1]), []).append(int(entry.name))
    found = list(children.get(root, ()))
    for pid in found:
        found += children.get(pid, ())
    return found


# ---- Linux -------------------------------------------------------------------------------------------
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _die_with_parent() -> None:
    """Ours is not the only way out: if the guard is killed, what it started directly is killed too."""
    _libc().prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _first_of_a_namespace() -> int | None:
    """Fork into a PID namespace with a `/proc` of its own: 0 in its first process. None if that is not allowed."""
    libc = _libc()
    with open("/proc/self/ns/pid", "rb") as own:  # noqa: PTH123 (a handle, not a path, is wanted)
        if libc.unshare(CLONE_NEWPID | CLONE_NEWNS) != 0:
            return None
        ready, told = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(ready)
            quiet = libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None) == 0
            flags = MS_NOSUID | MS_NODEV | MS_NOEXEC
            if not quiet or libc.mount(b"proc", b"/proc", b"proc", flags, None) != 0:
                os._exit(1)
            os.write(told, READY)
            os.close(told)
            return 0
        os.close(told)
        heard = os.read(ready, 1)
        os.close(ready)
        if heard == READY:
            return pid
        os.waitpid(pid, 0)
        if libc.setns(own.fileno(), CLONE_NEWPID) != 0:
            sys.exit(1)
    return None


if __name__ == "__main__":
    main(sys.argv[1:])
