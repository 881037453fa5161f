"""Verdicts for programs: JSON, and games state by state in files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hanabi_formal.api import Game
from hanabi_formal.cli.verdicts.table import ToldResult
from hanabi_formal.formats.itf import trace_as_itf
from hanabi_formal.formats.storage import write_atomically


def as_data(spec: str, told: ToldResult) -> dict[str, Any]:
    result = told.result
    data: dict[str, Any] = {
        "spec": spec,
        "name": result.name,
        "players": result.players,
        "verdict": result.verdict.value,
        "expected": result.obligation.expected.value,
        "method": result.method,
        "clauses": list(result.obligation.clauses),
        "seconds": round(result.seconds, 3),
        "detail": result.detail,
    }
    if result.trace is not None and told.opinion is not None:
        actions = [{"action": name, "arguments": list(args)} for name, args in result.trace.actions]
        replayed = list(told.opinion.replayed)
        data["trace"] = {"faces": list(result.trace.faces), "actions": actions, "replayed": replayed}
    if told.recheck is not None:
        data["rechecked"] = None if told.recheck.missing else told.recheck.solver
        if told.recheck.missing:
            data["unconfirmed"] = told.recheck.missing
    return data


def write_traces(games: Mapping[str, Game], found: Mapping[str, Sequence[ToldResult]], folder: Path) -> None:
    """Every game that shows something, in the Informal Trace Format."""
    for spec, several in found.items():
        for result in (told.result for told in several):
            if result.trace is not None:
                compiled = games[spec].compiled(result.players)
                name = f"{Path(spec).stem}-{result.players or ''}-{result.name}".replace(" ", "_")
                text = json.dumps(trace_as_itf(compiled, result.trace.faces, result.trace.actions), indent=1)
                write_atomically(folder / f"{name}.itf.json", text)
