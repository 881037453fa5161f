"""A standing attack on everything that reads what others wrote.

    python bench/attack.py --inputs 1000000 --out attack.json [--kind KIND …] [--workers N] [--seed S]
    python bench/attack.py --replay KIND:NUMBER [--seed S]

Rule files, deals, games, evidence, proofs, caches and protocol answers are made by the hundred thousand, mutated and
made to order (`attacks/`, a module for each), and run in processes of their own under limits of time and memory.
Counted are tracebacks, hangs, wrong acceptances and disagreements of engines; there should be none, and the exit code
is 1 if there are any. Every input follows from the seed and its number, so that --replay shows it again. What was done
is in the file --out, written after each batch: the same command goes on where a run was stopped. Inputs that fail are
kept in the folder beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from importlib import import_module
from pathlib import Path

from attacks.crew import Batch, Crew, Done
from attacks.harness import ACCEPTED, DISAGREEMENT, FAILURES, HANG, MEMORY, REFUSED, TRACEBACK, WRONG, Attack, make, run
from attacks.limits import own_cache

from hanabi_formal.formats.storage import write_atomically

SHARES = {"rules": 6, "deals": 28, "games": 6, "evidence": 6, "proofs": 30, "caches": 6, "protocol": 18}
"""Of a hundred inputs: the dear ones fewer, none less than five."""
BATCH = 250
COLUMNS = (
    (ACCEPTED, "accepted"),
    (REFUSED, "refused"),
    (TRACEBACK, "tracebacks"),
    (HANG, "hangs"),
    (MEMORY, "memory"),
    (WRONG, "wrong acceptances"),
    (DISAGREEMENT, "disagreements"),
)


def attack_on(kind: str, folder: Path) -> Attack:
    found: Attack = import_module(f"attacks.{kind}").Attack(folder)
    return found


class State:
    """What was done so far, in a file; batches are named `kind:number`."""

    def __init__(self, path: Path | None, seed: str) -> None:
        self.path = path
        self.seed = seed
        self.done: dict[str, Done] = {}
        if path is not None and path.exists():
            data = json.loads(path.read_text("utf-8"))
            if data["seed"] != seed or data["batch"] != BATCH:
                raise SystemExit(f"{path} is of another seed, or another size of batches: name another file")
            self.done = {name: Done(**done) for name, done in data["done"].items()}

    def add(self, batch: Batch, done: Done) -> None:
        self.done[f"{batch.kind}:{batch.number}"] = done
        if self.path is None:
            return
        for failure in done.failures:
            kept = self.path.with_suffix(".failures") / f"{batch.kind}-{failure['number']}.json"
            write_atomically(kept, json.dumps(failure, indent=1, ensure_ascii=True, default=repr) + "\n")
        data = {"seed": self.seed, "batch": BATCH, "done": {name: vars(one) for name, one in self.done.items()}}
        write_atomically(self.path, json.dumps(data) + "\n")

    def of(self, kind: str) -> list[Done]:
        return [done for name, done in self.done.items() if name.partition(":")[0] == kind]

    def failures(self) -> int:
        return sum(len(done.failures) for done in self.done.values())


def table(state: State) -> str:
    """For bench/results.md."""
    heads = ["kind", "inputs", *(name for _, name in COLUMNS), "seconds of CPU"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    total: Counter[str] = Counter()
    for kind in SHARES:
        counts: Counter[str] = Counter()
        for done in state.of(kind):
            for how in done.counts.values():
                counts.update(how)
            counts["seconds"] += done.seconds  # type: ignore[assignment]
        if counts:
            total.update(counts)
            lines.append(_row(kind, counts))
    return "\n".join([*lines, _row("all", total)])


def _row(name: str, counts: Counter[str]) -> str:
    cells = [sum(counts[outcome] for outcome, _ in COLUMNS), *(counts[outcome] for outcome, _ in COLUMNS)]
    return f"| {name} | {' | '.join(f'{cell:,}' for cell in cells)} | {counts['seconds']:,.0f} |"


def ways(state: State) -> str:
    """How each way to make an input fared: one that is always refused tests little."""
    found: dict[str, Counter[str]] = {}
    for name, done in state.done.items():
        for how, counts in done.counts.items():
            found.setdefault(f"{name.partition(':')[0]}: {how}", Counter()).update(counts)
    return "\n".join(f"{name:40} {dict(counts)}" for name, counts in sorted(found.items()))


def batches(kinds: list[str], inputs: int, state: State) -> list[Batch]:
    """What is left to do, all kinds by turns."""
    wanted = []
    shares = sum(SHARES[kind] for kind in kinds)
    for kind in kinds:
        many = -(-inputs * SHARES[kind] // shares)
        several = -(-many // BATCH)
        for number in range(several):
            batch = Batch(kind, number, number * BATCH, min(many, (number + 1) * BATCH))
            wanted.append(((number + 0.5) / several, batch))
    left = [(when, batch) for when, batch in wanted if _is_left(batch, state)]
    return [batch for _, batch in sorted(left, key=lambda item: item[0])]


def _is_left(batch: Batch, state: State) -> bool:
    done = state.done.get(f"{batch.kind}:{batch.number}")
    return done is None or sum(sum(how.values()) for how in done.counts.values()) < batch.end - batch.start


def attacked(kinds: list[str], inputs: int, state: State, workers: int) -> None:
    """All that is left to do; what is known is told as it comes."""
    waiting = batches(kinds, inputs, state)
    began, done = time.monotonic(), 0
    with Crew(workers, state.seed) as crew:
        for batch, found in crew.work(waiting):
            state.add(batch, found)
            done += 1
            for failure in found.failures:
                print(f"{failure['outcome']}: {batch.kind}:{failure['number']} ({failure['how']})", flush=True)
            if sys.stderr.isatty() or done % 100 == 0:
                spent = time.monotonic() - began
                print(f"{done} of {len(waiting)} batches, {spent:.0f} s", file=sys.stderr, flush=True)


def replayed(text: str, seed: str) -> int:
    """One input once more, in this process, with all that is known of it."""
    kind, _, number = text.partition(":")
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        own_cache(Path(folder))
        case = make(attack_on(kind, Path(folder)), kind, seed, int(number))
        print(f"{kind}:{number} {case.how}\n{json.dumps(case.given, default=repr)}")
        result = run(case)
    print(f"{result.outcome}\n{result.detail}")
    return int(result.outcome in FAILURES)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--kind", action="append", choices=list(SHARES))
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--replay", metavar="KIND:NUMBER")
    parser.add_argument("--ways", action="store_true", help="also tell how each way to make an input fared")
    options = parser.parse_args()
    if options.replay:
        return replayed(options.replay, options.seed)
    state = State(options.out, options.seed)
    attacked(options.kind or list(SHARES), options.inputs, state, options.workers)
    print(table(state))
    if options.ways:
        print(ways(state))
    return int(state.failures() > 0)


if __name__ == "__main__":
    sys.exit(main())
