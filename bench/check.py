"""How long `check` takes, cold and from kept proofs, as ratios to one start of the command (`--version`).

    python bench/check.py [SPEC ...]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMAND = [sys.executable, "-c", "from hanabi_formal.cli.main import main; main()"]


def seconds(*args: str) -> tuple[float, str]:
    began = time.perf_counter()
    done = subprocess.run([*COMMAND, *args], cwd=ROOT, capture_output=True, text=True, check=False)
    return time.perf_counter() - began, (done.stdout.strip().splitlines() or [done.stderr])[-1]


def main() -> None:
    start, _ = seconds("--version")
    print("| specification | cold | from proofs | cold / start | from proofs / start | verdicts |")
    print("|---|---|---|---|---|---|")
    for spec in sys.argv[1:] or ["spec/rainbow.hrl", "spec/base.hrl"]:
        with tempfile.TemporaryDirectory() as empty:
            cold, told = seconds("check", spec, "--proofs", empty)
        warm, again = seconds("check", spec)
        same = told if told == again else f"{told} / {again}"
        print(f"| {spec} | {cold:.1f} s | {warm:.1f} s | {cold / start:.0f} | {warm / start:.0f} | {same} |")


if __name__ == "__main__":
    main()
