"""What it costs that a judge looks nothing up that a user can write: needs of rules proved in the run that asks.

    python bench/needs.py

For each specification: to find the need in the package, to prove it with the advice of the base game, and to prove it
without; processor time, and as a ratio to reading the rules and dealing a game, which every run does.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from hanabi_formal.api import load
from hanabi_formal.judge.arguments.needs import CARDS, SPENDING, TOKENS, TURNS, RuleNeeds, prove_need

HOUSE_RULE = """variant mine extends base {
  clause @mine.ones "Nobody gives a hint about the value 1."
  strengthen action hint when about != value(1) label ones  @mine.ones
}
"""


def seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def read_and_begin(spec: str, players: int) -> None:
    load(spec).start(players, seed=1).legal()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        mine = Path(folder) / "mine.hrl"
        mine.write_text(HOUSE_RULE)
        rows = [
            ("base", 2, TOKENS),
            ("base", 5, TOKENS),
            ("avalanche", 3, TOKENS),
            ("nl", 2, SPENDING),
            ("timed", 2, TURNS),
            ("expert", 2, CARDS),
            (str(mine), 2, TOKENS),
            (str(mine), 5, TOKENS),
            ("nl", 2, TOKENS),
        ]
        heads = ("reading", "kept", "advised", "plain", "ratio")
        print(f"{'rules':<12}{'players':>8}  {'need':<9}", *(f"{head:>8}" for head in heads))
        for spec, players, need in rows:
            dealt = 5 if players <= 3 else 4
            reading = seconds(partial(read_and_begin, spec, players))
            game = load(spec)
            game.system(players)
            kept = seconds(partial(RuleNeeds(game, players, dealt).known, need))
            proof = partial(prove_need, game, players, need, dealt)
            advised, plain = seconds(proof), seconds(partial(proof, advised=False))
            figures = (reading, kept, advised, plain, advised / reading)
            shown = (f"{figure:8.2f}" for figure in figures)
            print(f"{Path(spec).stem:<12}{players:>8}  {need:<9}", *shown, flush=True)


if __name__ == "__main__":
    main()
