"""A checker that is not ours, as a command: `python dratify_checker.py FORMULA PROOF`.

dratify checks DRAT, so steps are given to it without their numbers and hints: it finds out itself why they follow.
"""

from __future__ import annotations

import sys
from pathlib import Path

from dratify import check_proof, parse_dimacs


def as_drat(lrat: str) -> str:
    """The clauses that an LRAT proof adds. Without deletions: more clauses make no step wrong that follows."""
    lines = []
    for line in lrat.splitlines():
        words = line.split()
        if words[1:2] != ["d"]:
            lines.append(" ".join(words[1 : words.index("0") + 1]))
    return "".join(f"{line}\n" for line in lines)


def is_accepted(cnf: str, lrat: str) -> bool:
    found = check_proof(parse_dimacs(cnf), as_drat(lrat))
    return bool(found.ok and found.reached_empty)


def main(cnf: str, lrat: str) -> int:
    accepted = is_accepted(Path(cnf).read_text("ascii"), Path(lrat).read_text("ascii"))
    print("s VERIFIED UNSAT" if accepted else "s NOT VERIFIED")
    return 0 if accepted else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
