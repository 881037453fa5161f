"""What a proof needs, kept as readable files: the hash of the meaning, the lemmas, and the games that show something.

`proofs/<specification>/<players>.json`. A file whose hash is not that of the rules at hand is not used.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hanabi_formal.kernel.meaning import meaning_hash
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.types import Type, show_value, type_values
from hanabi_formal.prove.verdicts import Result, Trace, Verdict

SCHEMA = 1


def proof_path(folder: Path, system: System, players: int | None) -> Path:
    return folder / system.name / f"{players or 'any'}.json"


def save(system: System, results: Iterable[Result]) -> str:
    """The text of a proof file."""
    results = list(results)
    proved = [result for result in results if result.verdict is Verdict.PROVED]
    data = {
        "schema": SCHEMA,
        "specification": system.name,
        "parameters": dict(system.parameters),
        "rulings": dict(system.rulings),
        "meaning": meaning_hash([system]),
        "lemmas": [p.name for p in system.properties if p.kind in ("invariant", "unreachable") and _in(p.name, proved)],
        "rankings": [p.name for p in system.properties if p.kind == "terminates" and _in(p.name, proved)],
        "games": {result.name: _game(system, result.trace) for result in results if result.trace is not None},
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _in(name: str, results: list[Result]) -> bool:
    return any(result.name == name for result in results)


def _game(system: System, trace: Trace) -> dict[str, Any]:
    """Actions are written `name argument argument`; a blank within an argument is left out."""
    actions = []
    for name, args in trace.actions:
        params = system.action(name).params
        actions.append(" ".join([name, *(_word(p.type, v) for p, v in zip(params, args, strict=True))]))
    return {"deal": " ".join(map(str, trace.faces)), "actions": actions}


def _word(kind: Type, value: int) -> str:
    return show_value(kind, value).replace(" ", "")


def load(path: Path, system: System) -> dict[str, Trace]:
    """The games of a proof file, if it is about exactly these rules; nothing otherwise."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["schema"] != SCHEMA or data["meaning"] != meaning_hash([system]):
            return {}
        return {name: _trace(system, game) for name, game in data["games"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, StopIteration):
        return {}


def _trace(system: System, game: dict[str, Any]) -> Trace:
    actions = []
    for line in game["actions"]:
        name, _, rest = line.partition(" ")
        params = system.action(name).params
        words = rest.split(" ") if rest else []
        shown = [{_word(p.type, v): v for v in type_values(p.type)} for p in params]
        actions.append((name, tuple(values[word] for values, word in zip(shown, words, strict=True))))
    return Trace(tuple(int(word) for word in game["deal"].split()), tuple(actions))
