"""Proves what arguments about deals need of the built-in rules, and keeps the outcome in `proofs/needs.json`.

    python bench/prove_needs.py [--again] [--advice] [SPEC …]

What is kept already is not tried again, unless `--again` says so. `--advice` first finds out which lemmas each question
needs, from the rules in `ADVISERS`: that takes minutes, and makes every proof from then on several times as fast.
Without SPEC, what is kept of rules that have changed since is forgotten.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import replace

from hanabi_formal.api import Game, load
from hanabi_formal.formats.deals import shuffled
from hanabi_formal.judge.arguments.kept_needs import keep, kept_needs
from hanabi_formal.judge.arguments.needs import CARDS, FEW, NEEDS, SPENDING, TOKENS, TURNS, key_of, prove_need, tried_of
from hanabi_formal.judge.arguments.position import reader
from hanabi_formal.resources import proofs_folder

HOUSE = ("hanab_live", "hanab_live+expert")
ADVISERS = {CARDS: "expert", FEW: "dutch_layout", TURNS: "timed", SPENDING: "nl", TOKENS: "base"}


def find_advice() -> None:
    for need, spec in ADVISERS.items():
        found: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] = {}
        began = time.process_time()
        missing = prove_need(load(spec), 2, need, 5, found)
        assert not missing, missing
        print(f"advice on {need}: {len(found)} questions ({time.process_time() - began:.1f} s)", flush=True)
        keep(replace(kept_needs(), advice={**kept_needs().advice, need: found}))


def prove_all(game: Game, players: int, again: bool) -> Iterator[str]:
    """From the most that can be needed down to what these rules have. Returns the keys that are of use."""
    found = reader(game, players)
    if found is None:
        return
    dealt = found.start(shuffled(found.system, 0)).hand_size
    for need in reversed(NEEDS) if found.has_last_round else (CARDS,):
        key = key_of(found.system, need, dealt)
        yield from (key_of(found.system, one, dealt) for one in NEEDS)
        if again or key not in kept_needs().tried:
            began = time.process_time()
            missing = prove_need(game, players, need, dealt)
            took = time.process_time() - began
            print(f"{game.name}, {players} players, {need}: {missing or 'proved'} ({took:.1f} s)", flush=True)
            entries = dict(tried_of(game, players, need, dealt, missing))
            keep(replace(kept_needs(), tried={**kept_needs().tried, **entries}))
        if not kept_needs().tried[key].missing:
            return


def main(words: list[str]) -> None:
    if "--advice" in words:
        find_advice()
    asked = [word for word in words if not word.startswith("--")]
    known = sorted(path.name for path in proofs_folder().iterdir() if path.is_dir())
    current: set[str] = set()
    for spec in asked or [*known, *HOUSE]:
        game = load(spec)
        for players in game.player_counts:
            current |= set(prove_all(game, players, "--again" in words))
    if not asked:
        keep(replace(kept_needs(), tried={key: one for key, one in kept_needs().tried.items() if key in current}))


if __name__ == "__main__":
    main(sys.argv[1:])
