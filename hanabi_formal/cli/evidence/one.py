"""One piece of evidence judged as `certify` was asked to: by us, and by somebody else's checker."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from json import JSONDecodeError
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from hanabi_formal.api import Game
from hanabi_formal.cli.common import SCHEMA
from hanabi_formal.compose.merge import Merged
from hanabi_formal.compose.settings import Settings
from hanabi_formal.diagnostics.diagnostic import counted, refuse
from hanabi_formal.diagnostics.source import SourceFile, Span
from hanabi_formal.foreign.strict_json import read_json
from hanabi_formal.judge.refutations.lrat import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hanabi_formal.judge.evidence import Accepted
    from hanabi_formal.judge.refutations.other_checkers import ExternalChecker

ACCEPTED, REFUSED, UNREADABLE, UNCONFIRMED = range(4)
"""What is said of evidence, as exit codes."""
NOTHING_TO_CHECK = "there is no solver's proof in it, so nothing for the other checker"


@dataclass(frozen=True)
class CertifyRequest:
    """What the user asks of every piece of evidence."""

    settings: Settings
    begun: bool = False
    afresh: bool = False
    export: Path | None = None
    checker: ExternalChecker | None = None


@dataclass
class Judged:
    """What is to be told of one piece: lines for people, data for programs, and the code."""

    told: list[str] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)
    code: int = ACCEPTED
    proofs: int = 0
    confirmed: int = 0
    """How many solver's proofs are in it, and how many of them the other checker accepts."""


@dataclass
class GamesBySettings:
    """The rules under the settings that evidence asks for; each game is made once."""

    merged: Merged
    request: CertifyRequest

    @cached_property
    def _games(self) -> dict[str, Game]:
        return {}

    def game(self, settings: Settings) -> Game:
        key = repr(settings)
        if key not in self._games:
            self._games[key] = Game(self.merged, settings)
        return self._games[key]


def parsed(source: SourceFile, help: str) -> object:
    """The JSON of evidence; `ValueError` if it is JSON, and none that we read."""
    try:
        return read_json(source.text)
    except JSONDecodeError as problem:
        place = Span(source, problem.pos, min(problem.pos + 1, len(source.text)))
        raise refuse("HRL603", f"this is not JSON: {problem.msg.lower()}", place, help=help) from None


def judged(
    request: CertifyRequest, game: Game, players: int | None, faces: Sequence[int], data: object, name: str
) -> Judged:
    """`name` is what files about it are called."""
    from hanabi_formal.judge.evidence import judge_all

    found = Judged(data={"accepted": False, "settings": game.settings.data})
    answers: list[dict[str, Any]] = []
    try:
        evidence = subject(data, request.begun)
        for accepted in judge_all(game, players, faces, evidence, request.afresh):
            found.told.append(f"accepted: {shown(accepted)}")
            found.told += [f"  {line}" for line in accepted.checked]
            answers.append(
                {
                    "answer": accepted.answer,
                    "goal": accepted.goal,
                    "maximum": accepted.maximum,
                    "after": accepted.after,
                    "checked": list(accepted.checked),
                }
            )
            if accepted.refutation is not None and (request.export is not None or request.checker is not None):
                about = (game, players, faces, evidence.get("after") or ())
                _for_others(request, about, accepted, f"{name}-{accepted.goal}", found, answers[-1])
    except Refused as refused:
        found.told.append(f"refused: {refused}")
        found.data["reason"] = str(refused)
        found.code = REFUSED
        return found
    if (request.checker or request.export) and not found.proofs:
        found.told.append(f"  {NOTHING_TO_CHECK}")
        found.data["note"] = NOTHING_TO_CHECK
    found.data |= {"accepted": found.code == ACCEPTED, "answers": answers}
    return found


def _for_others(
    request: CertifyRequest,
    about: tuple[Any, ...],
    accepted: Accepted,
    name: str,
    found: Judged,
    answer: dict[str, Any],
) -> None:
    """The proof written out, and given to the other checker."""
    from hanabi_formal.judge.refutations.export import About, export

    assert accepted.refutation is not None
    found.proofs += 1
    with _folder(request.export) as folder:
        files = export(folder, name, About(*about), accepted, accepted.refutation)
        answer["proof"] = {}
        if request.export is not None:
            answer["proof"] = {"cnf": str(files.cnf), "lrat": str(files.lrat)}
            found.told.append(f"  written: {files.cnf}, {files.lrat.name}")
        if request.checker is None:
            return
        verdict = request.checker.check(files.cnf, files.lrat)
    answer["proof"]["checker"] = {
        "command": request.checker.command,
        "accepted": verdict.accepted,
        "said": verdict.said,
        "seconds": round(verdict.seconds, 3),
    }
    if verdict.accepted:
        found.confirmed += 1
        found.told.append(f"  the other checker accepts the proof, too: {verdict.said}")
    elif verdict.failure:
        found.told.append(f"not confirmed: the other checker did not decide: {verdict.failure}")
        answer["proof"]["checker"]["failure"] = verdict.failure
        found.code = max(found.code, UNCONFIRMED)
    else:
        raise Refused(f"our checker accepts the proof, and the other does not; it says: {verdict.said}")


@contextmanager
def _folder(export: Path | None) -> Iterator[Path]:
    if export is not None:
        yield export
        return
    with TemporaryDirectory() as folder:
        yield Path(folder)


def shown(accepted: Accepted) -> str:
    after = f", after {counted(accepted.after, 'action')}" if accepted.after else ""
    if accepted.goal == accepted.maximum:
        return f"{accepted.answer} ({accepted.goal} points{after})"
    many = f"{accepted.goal} of {accepted.maximum} points{after}"
    return f"a game with {many}" if accepted.answer == "winnable" else f"no game has {many}"


def subject(data: object, begun: bool) -> dict[str, Any]:
    """What is to be judged, if it is written as it should be, and about what is asked."""
    if not isinstance(data, dict):
        raise Refused("evidence is an object, as `winnable --json` writes it")
    if data.get("schema", SCHEMA) != SCHEMA:
        raise Refused(f"it is written in version {ascii(data['schema'])[:20]}, and this is version {SCHEMA}")
    if data.get("after") and not begun:
        raise Refused("it is about a game that had begun, not about the whole deal; with --begun that is judged")
    return data


# ---- settings ----------------------------------------------------------------------------------------
def completed(settings: Settings, data: object) -> Settings:
    """With what the evidence says it is about, where the command line says nothing."""
    said = data.get("settings") if isinstance(data, dict) else None
    if not isinstance(said, dict):
        return settings
    rulings = {name: value for name, value in _named(said.get("rulings")).items() if isinstance(value, str)}
    numbers = {name: value for name, value in _named(said.get("set")).items() if type(value) is int}
    cuts = {name: tuple(map(str, value)) for name, value in _named(said.get("set")).items() if isinstance(value, list)}
    return Settings({**numbers, **settings.params}, {**rulings, **settings.rulings}, {**cuts, **settings.cuts})


def taken(asked: Settings, found: Settings) -> list[str]:
    """What was not asked for."""
    return [
        f"{name}={','.join(value) if isinstance(value, tuple) else value}"
        for before, after in zip(_parts(asked), _parts(found), strict=True)
        for name, value in after.items()
        if name not in before
    ]


def _parts(settings: Settings) -> tuple[Mapping[str, int | str | tuple[str, ...]], ...]:
    return settings.rulings, settings.params, settings.cuts


def _named(data: object) -> dict[str, object]:
    return data if isinstance(data, dict) else {}
