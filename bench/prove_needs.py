"""Proves what arguments about deals need of the built-in rules, and keeps it in `proofs/needs.json`.

    python bench/prove_needs.py [SPEC …]

What is kept already is not proved again; `--again` proves all. Without SPEC, what is kept of rules that have changed
since is forgotten.
"""

from __future__ import annotations

import sys
import time

from hanabi_formal.api import load
from hanabi_formal.certify.needs import CARDS, FILE, NEEDS, entries_of, keep, kept_in, key_of, prove_need
from hanabi_formal.certify.position import reader
from hanabi_formal.formats.deals import shuffled
from hanabi_formal.resources import proofs_folder

HOUSE = ("hanab_live", "hanab_live+expert")


def main(words: list[str]) -> None:
    again = "--again" in words
    folder = proofs_folder()
    known = sorted(path.name for path in folder.iterdir() if path.is_dir())
    asked = [word for word in words if word != "--again"]
    current: set[str] = set()
    for spec in asked or [*known, *HOUSE]:
        game = load(spec)
        for players in game.player_counts:
            found = reader(game, players)
            if found is None:
                continue
            dealt = found.start(shuffled(found.system, 0)).hand_size
            current |= {key_of(found.system, need, dealt) for need in NEEDS}
            for wanted in reversed(NEEDS) if found.has_last_round else (CARDS,):
                entries = entries_of(game, players, wanted, dealt)
                if not again and entries.keys() <= kept_in(folder / FILE):
                    break
                began = time.perf_counter()
                missing = prove_need(game, players, wanted, dealt)
                took = time.perf_counter() - began
                print(f"{spec}, {players} players, {wanted}: {missing or 'proved'} ({took:.1f} s)", flush=True)
                if not missing:
                    keep(folder / FILE, entries)
                    break
    if not asked:
        keep(folder / FILE, {}, only=current)


if __name__ == "__main__":
    main(sys.argv[1:])
