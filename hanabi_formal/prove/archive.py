"""What a proof needs, kept as readable files: identity of the rules, lemmas and where they are needed, weights, games.

`proofs/<specification>/<players>.json`. A file with another identity than the rules at hand is not used. A game is kept
once, however much it shows: each obligation names the number of actions after which it is shown. Nothing in a file is
believed: games are replayed, and which lemmas a question needs is advice that can only save time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hanabi_formal.foreign.files import read_plain
from hanabi_formal.foreign.strict_json import read_json
from hanabi_formal.kernel.canonical import identity
from hanabi_formal.kernel.system import PropertyKind, System
from hanabi_formal.kernel.trace import Instance, Trace
from hanabi_formal.kernel.types import Type, show_value, type_values
from hanabi_formal.prove.induction.needed_lemmas import NeededLemmas, named_needs, read_needs
from hanabi_formal.prove.obligation import Obligation, ObligationKind, ObligationNames, Result, Verdict
from hanabi_formal.prove.properties import OF_STATES, asked
from hanabi_formal.prove.search.goals import NOTHING, Memory

SCHEMA = 3
MOST_BYTES = 2_000_000


def proof_path(folder: Path, system: System, players: int | None) -> Path:
    return folder / system.name / f"{players or 'any'}.json"


def save(system: System, results: Iterable[Result], needs: NeededLemmas | None = None) -> str:
    """The text of a proof file."""
    results = list(results)
    weights = next((result.weights for result in results if result.weights is not None), {})
    proved = {result.obligation for result in results if result.verdict is Verdict.PROVED}
    shown = [prop for one, prop in asked(system).items() if one in proved and one.kind is not ObligationKind.MEANING]
    data = {
        "schema": SCHEMA,
        "specification": system.name,
        "parameters": dict(system.parameters),
        "rulings": dict(system.rulings),
        "identity": identity(system),
        "lemmas": [prop.name for prop in shown if prop.kind in OF_STATES],
        "rankings": [prop.name for prop in shown if prop.kind == PropertyKind.TERMINATES],
        "needs": [
            {"where": where, "shows": "; ".join(shows), "needs": "; ".join(needed)}
            for (where, shows), needed in named_needs(needs or {}).items()
        ],
        "weights": dict(weights),
        "games": _games(system, {r.name: r.trace for r in results if r.trace is not None}),
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _games(system: System, traces: Mapping[str, Trace]) -> list[dict[str, Any]]:
    """The longest first, so that one which is the beginning of another is found in it."""
    kept: list[tuple[Trace, dict[str, int]]] = []
    for name, trace in sorted(traces.items(), key=lambda item: (-len(item[1].actions), item[0])):
        shows = next((shows for longer, shows in kept if trace.begins(longer)), None)
        if shows is None:
            shows = {}
            kept.append((trace, shows))
        shows[name] = len(trace.actions)
    return [_game(system, trace, dict(sorted(shows.items()))) for trace, shows in kept]


def _game(system: System, trace: Trace, shows: dict[str, int]) -> dict[str, Any]:
    """Actions are written `name argument argument`; a blank within an argument is left out."""
    actions = []
    for name, args in trace.actions:
        params = system.action(name).params
        actions.append(" ".join([name, *(_word(p.type, v) for p, v in zip(params, args, strict=True))]))
    return {"shows": shows, "deal": " ".join(map(str, trace.faces)), "actions": "; ".join(actions)}


def _word(kind: Type, value: int) -> str:
    return show_value(kind, value).replace(" ", "")


def load(path: Path, system: System) -> Memory:
    """What a proof file remembers, if it is about exactly these rules; nothing otherwise."""
    try:
        data = _content(path)
        if data["schema"] != SCHEMA or data["identity"] != identity(system):
            return NOTHING
        words = _Words(system)
        names = ObligationNames(system)
        games: dict[Obligation, Trace] = {}
        for game in data["games"]:
            whole = words.trace(game)
            for name, many in game["shows"].items():
                shown = names.read(name)
                games |= {shown: whole.until(int(many))} if shown is not None else {}
        needs = {(str(q["where"]), _names(q["shows"])): _names(q["needs"]) for q in data.get("needs", ())}
        return Memory(games, dict(data["weights"]), read_needs(names, needs))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, StopIteration, ArithmeticError):
        return NOTHING


def find(folder: Path, system: System, players: int | None) -> Memory:
    """What a folder keeps of exactly these rules, whatever name they have there."""
    named, wanted = proof_path(folder, system, players), identity(system).encode()
    for path in (named, *sorted(folder.glob(f"*/{named.name}"))):
        if wanted in _beginning(path):
            memory = load(path, system)
            if memory.games:
                return memory
    return NOTHING


def _beginning(path: Path) -> bytes:
    try:
        return read_plain(path, MOST_BYTES)
    except OSError:
        return b""


def _content(path: Path) -> Any:
    data = read_plain(path, MOST_BYTES)
    if len(data) > MOST_BYTES:
        raise ValueError("no proof file is that long")
    return read_json(data.decode())


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split("; ")) if text else ()


def games_of_others(folder: Path, system: System, players: int | None) -> Iterator[Trace]:
    """Games of whatever rules are kept for as many players, if they can be told in the words of these rules."""
    words = _Words(system)
    for path in sorted(folder.glob(f"*/{players or 'any'}.json")):
        try:
            games = _content(path)["games"]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        for game in games if isinstance(games, list) else ():
            try:
                yield words.trace(game)
            except (ValueError, KeyError, TypeError, AttributeError, StopIteration):
                continue


class _Words:
    """How arguments are written, by type."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._known: dict[Type, dict[str, int]] = {}

    def _values(self, kind: Type) -> dict[str, int]:
        if kind not in self._known:
            self._known[kind] = {_word(kind, value): value for value in type_values(kind)}
        return self._known[kind]

    def trace(self, game: dict[str, Any]) -> Trace:
        actions = []
        for line in game["actions"].split("; ") if game["actions"] else ():
            name, *words = line.split(" ")
            params = self._system.action(name).params
            actions.append(Instance(name, tuple(self._values(p.type)[w] for p, w in zip(params, words, strict=True))))
        faces = tuple(int(word) for word in game["deal"].split())
        deck = self._system.deck
        if deck is not None and sorted(faces) != [f for f, many in enumerate(deck.copies) for _ in range(many)]:
            raise ValueError("not a deal of this deck")
        return Trace(faces, tuple(actions))
