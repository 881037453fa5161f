"""Deals, small games and answers about them, for tests of `winnable` and of what its answers rest on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from hanabi_formal.api import Game, load
from hanabi_formal.formats.deals import parse_deal
from hanabi_formal.winnability.deal_report import DealReport
from hanabi_formal.winnability.oracle import AnsweredDeal, Oracle

HERE = Path(__file__).parent
OURS = HERE / "winnable" / "deals.jsonl"
SHARED = HERE.parent.parent / "shared" / "data" / "deals.jsonl"
TINY = HERE / "tiny.hrl"
SPECS = {50: "base", 55: "avalanche"}


@cache
def oracle(spec: str) -> Oracle:
    return Oracle(load(spec))


def deals(path: Path) -> Iterator[tuple[Oracle, dict[str, Any], tuple[int, ...]]]:
    for line in path.read_text("utf-8").splitlines():
        data = json.loads(line)
        asked = oracle(SPECS[len(data["deck"].split())])
        yield asked, data, parse_deal(data["deck"], asked.game.system(data["players"]))


def written(found: Oracle, asked: AnsweredDeal) -> dict[str, Any]:
    """Evidence as a file would hold it."""
    data: dict[str, Any] = json.loads(json.dumps(DealReport(found, asked).evidence()))
    return data


SMALL = [
    ("base", 2, "red,blue", 4, {}),
    ("base", 3, "red,blue", 3, {}),
    ("base", 2, "red,blue,green", 2, {}),
    ("expert", 2, "red,blue", 3, {}),
    ("timed", 2, "red,blue", 3, {}),
    ("rainbow", 2, "red,blue,multi", 3, {}),
    ("difficulty", 2, "red,blue", 3, {}),
    *(
        ("base", 2, "red,blue", 3, {name: value})
        for name, value in (
            ("draw_after_fit", "no"),
            ("perfect_in_last_round", "plays_on"),
            ("discard_at_full", "allowed"),
            ("empty_hint", "refused"),
            ("fit", "literal"),
            ("hopeless", "stops"),
            ("loss_score", "sum"),
            ("draw_on_end", "yes"),
            ("take_token", "may"),
            ("stuck", "lost"),
            ("red_limit", "third"),
        )
    ),
    ("avalanche", 2, "red,blue,multi", 2, {"all_or_five": "five"}),
]


def small_game(spec: str, suits: str, ranks: int, rulings: dict[str, str]) -> Game:
    cuts = {"Suit": suits.split(","), "Rank": [str(rank + 1) for rank in range(ranks)]}
    return load(f"{spec}+{TINY}", rulings=rulings, params={"red_tokens": 2}, cuts=cuts)
