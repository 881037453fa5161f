"""How long `check` takes, cold and from kept proofs, as ratios to one start of the command (`--version`).

Seconds on the clock, and seconds of work: those of all processes together, which others on the machine disturb less.

    python bench/check.py [SPEC ...]
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMAND = [sys.executable, "-c", "from hanabi_formal.cli.main import main; main()"]


@dataclass(frozen=True)
class Took:
    clock: float
    work: float
    said: str

    def __str__(self) -> str:
        return f"{self.clock:.1f} s, work {self.work:.1f} s"


def work() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(*args: str) -> Took:
    began, before = time.perf_counter(), work()
    done = subprocess.run([*COMMAND, *args], cwd=ROOT, capture_output=True, text=True, check=False)
    said = (done.stdout.strip().splitlines() or [done.stderr])[-1]
    return Took(time.perf_counter() - began, work() - before, said)


def main() -> None:
    start = run("--version").work
    print("| specification | cold | from proofs | cold / start | from proofs / start | verdicts |")
    print("|---|---|---|---|---|---|")
    for spec in sys.argv[1:] or ["spec/rainbow.hrl", "spec/base.hrl"]:
        with tempfile.TemporaryDirectory() as empty:
            cold = run("check", spec, "--proofs", empty)
        warm = run("check", spec)
        said = warm.said if cold.said == warm.said else f"{cold.said} / {warm.said}"
        ratios = f"{cold.work / start:.0f} | {warm.work / start:.0f}"
        print(f"| {spec} | {cold} | {warm} | {ratios} | {said} |")


if __name__ == "__main__":
    main()
