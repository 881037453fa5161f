"""Coverage by package, from the file that `coverage json` writes.

    python -m pytest -n auto --cov --cov-report=json && python bench/covered.py [FILE]

One row for each folder directly below the package, and one for the modules that lie beside them.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

BESIDE = "(beside the folders)"


def table(data: dict[str, dict[str, dict[str, dict[str, int]]]]) -> Iterator[str]:
    """The rows, and the sum of them, in Markdown."""
    lines, run = Counter[str](), Counter[str]()
    for name, file in data["files"].items():
        below = Path(name).parts[1:]
        for folder in (below[0] if len(below) > 1 else BESIDE, "all"):
            lines[folder] += file["summary"]["num_statements"]
            run[folder] += file["summary"]["covered_lines"]
    yield "| package | statements | run by tests |"
    yield "|---|---|---|"
    for folder in sorted(lines, key=lambda folder: (folder == "all", folder)):
        shown = f"{lines[folder]:,} | {run[folder] / max(1, lines[folder]):.0%}"
        yield f"| {folder if folder in (BESIDE, 'all') else f'`{folder}`'} | {shown} |"


if __name__ == "__main__":
    print(*table(json.loads(Path(*sys.argv[1:] or ["coverage.json"]).read_text("utf-8"))), sep="\n")
