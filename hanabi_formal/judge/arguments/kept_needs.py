"""The package's own file of needs: of which rules they were proved, of which they could not be, and with which lemmas.

It is a part of the program, like its rule files: `bench/prove_needs.py` makes it, tests make it again. The lemmas are
advice, and serve other rules too: with any of them a proof is a proof, and a question that fails with those advised is
asked with all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from hanabi_formal.formats import storage
from hanabi_formal.resources import proofs_folder

SCHEMA = 2
AdviceKey = tuple[str, tuple[str, ...]]
"""Where a question arises, and the obligations it serves."""
Advice = Mapping[AdviceKey, tuple[str, ...]]
"""The lemmas that each question needs."""


@dataclass(frozen=True)
class Tried:
    """A proof that was tried.

    If it failed, `missing` says of what, and `stated` is the identity of the rules with their properties: these serve
    as lemmas, so with others it might not fail.
    """

    spec: str
    players: int | None
    need: str
    missing: str = ""
    stated: str = ""


@dataclass(frozen=True)
class KeptNeeds:
    """What was tried, by a key that names rules and need; and advice, by need."""

    tried: Mapping[str, Tried] = field(default_factory=dict)
    advice: Mapping[str, Advice] = field(default_factory=dict)


def needs_file() -> Path:
    return proofs_folder() / "needs.json"


@cache
def kept_needs() -> KeptNeeds:
    """What the installed package keeps; nothing if it is of another version."""
    try:
        data = json.loads(needs_file().read_text("utf-8"))
    except (OSError, ValueError):
        return KeptNeeds()
    if data["schema"] != SCHEMA:
        return KeptNeeds()
    tried = {key: Tried(**entry) for key, entry in data["tried"].items()}
    return KeptNeeds(tried, {need: _read_advice(rows) for need, rows in data["advice"].items()})


def keep(kept: KeptNeeds) -> None:
    """Write the file anew."""
    data = {
        "schema": SCHEMA,
        "advice": {need: _advice_rows(advice) for need, advice in sorted(kept.advice.items())},
        "tried": {key: _without_blanks(tried) for key, tried in sorted(kept.tried.items())},
    }
    storage.write_atomically(needs_file(), json.dumps(data, indent=1) + "\n")
    kept_needs.cache_clear()


def _without_blanks(tried: Tried) -> dict[str, Any]:
    return {name: value for name, value in asdict(tried).items() if value != ""}


def _advice_rows(advice: Advice) -> list[list[Any]]:
    return [[where, list(shows), list(lemmas)] for (where, shows), lemmas in advice.items()]


def _read_advice(rows: list[list[Any]]) -> Advice:
    return {(where, tuple(shows)): tuple(lemmas) for where, shows, lemmas in rows}
